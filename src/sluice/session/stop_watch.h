// StopWatch: what can stop a run from outside: a deadline, and the caller's own
// switch. Lives on the stack of whoever runs; when it goes, nothing reaches the
// run any more.
#pragma once

#include <memory>

#include "sluice/base/cancellation.h"
#include "sluice/base/timer.h"
#include "sluice/session/run_options.h"

namespace sluice {

class StopWatch {
 public:
  // `start`: when the run began; planning takes its share of the deadline.
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
