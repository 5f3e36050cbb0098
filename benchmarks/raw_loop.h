// RawLoop: `while i < n: i + 1` written with the primitives of the token
// machine, run as it is.
#pragma once

#include <memory>

#include "sluice/sluice.h"

namespace sluice::bench {

class RawLoop {
 public:
  RawLoop();
  ~RawLoop();
  void Run(int64_t count);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::bench
