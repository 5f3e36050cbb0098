// StopWatch: stops a run from outside, by a deadline or by the caller's
// cancellation. Lives on the stack of the running thread; after its destruction
// nothing can reach the run.
#pragma once

#include <memory>

#include "sluice/base/cancellation.h"
#include "sluice/base/timer.h"
#include "sluice/session/run_options.h"

namespace sluice {

class StopWatch {
 public:
  // `start`: when the run began; planning counts towards the deadline.
  StopWatch(const RunOptions& options, std::shared_ptr<Cancellation> step,
            int64_t start);
  ~StopWatch();

 private:
  void CallOff();

  Timer::Id timer_ = 0;
  Cancellation* outer_;
  Cancellation::Token token_ = 0;
};

}  // namespace sluice
