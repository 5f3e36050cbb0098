#include "sluice/session/stop_watch.h"

#include <algorithm>

#include "sluice/base/clock.h"
#include "sluice/base/strings.h"

namespace sluice {

StopWatch::StopWatch(const RunOptions& options,
                     std::shared_ptr<Cancellation> step, int64_t start)
    : outer_(options.cancellation.get()) {
  if (options.timeout_ms > 0) {
    int64_t ms = options.timeout_ms;
    // Made here: on the timer's thread nothing may fail.
    Status late = DeadlineExceeded(
        StrCat("the step did not end within its deadline of ", ms, " ms"));
    // No clock runs for longer than a century.
    int64_t left = std::min<int64_t>(ms, int64_t{1} << 42) * 1'000'000 -
                   (NowNanos() - start);
    if (left <= 0) {
      step->Cancel(late);
    } else {
      timer_ =
          Timer::Default().After(left, [step, late] { step->Cancel(late); });
    }
  }
  if (!outer_) return;
  try {
    if (!outer_->Register(&token_, [step, outer = options.cancellation] {
          step->Cancel(outer->status());
        })) {
      step->Cancel(outer_->status());
      outer_ = nullptr;
    }
  } catch (...) {
    CallOff();  // the timer must not outlive the step
    throw;
  }
}

StopWatch::~StopWatch() {
  CallOff();
  if (outer_) outer_->Deregister(token_);
}

void StopWatch::CallOff() {
  if (timer_) Timer::Default().Cancel(timer_);
}

}  // namespace sluice
