#include "sluice/collective/flight_recorder.h"

#include <cstdio>

#include "sluice/base/clock.h"
#include "sluice/base/strings.h"

namespace sluice::collective {

void FlightRecorder::Queue(uint64_t sequence, uint64_t number,
                           std::string what) {
  MutexLock lock(mu_);
  if (keeps_ == 0) return;
  if (entries_.size() == keeps_) entries_.pop_front();
  entries_.push_back(
      {sequence, number, std::move(what), State::kQueued, NowNanos()});
}

void FlightRecorder::Set(uint64_t sequence, State state) {
  MutexLock lock(mu_);
  // Search from the end: few of the later entries have ended.
  for (auto it = entries_.rbegin(); it != entries_.rend(); ++it) {
    if (it->sequence != sequence) continue;
    it->state = state;
    (state == State::kRunning ? it->started : it->ended) = NowNanos();
    return;
  }
}

std::vector<CollectiveTime> FlightRecorder::Times() const {
  MutexLock lock(mu_);
  std::vector<CollectiveTime> times;
  for (const Entry& e : entries_) {
    if (e.number == 0 || e.state != State::kDone) continue;
    times.push_back({e.number, e.started, e.ended});
  }
  return times;
}

std::string FlightRecorder::ToString() const {
  MutexLock lock(mu_);
  std::string text;
  const int64_t now = NowNanos();
  auto ms = [](int64_t ns) {
    char digits[32];
    std::snprintf(digits, sizeof(digits), "%.3f ms",
                  static_cast<double>(ns) * 1e-6);
    return std::string(digits);
  };
  for (const Entry& e : entries_) {
    StrAppend(text, "  #", e.sequence, " ", e.what, ": ");
    switch (e.state) {
      case State::kQueued:
        StrAppend(text, "queued for ", ms(now - e.queued), "\n");
        break;
      case State::kRunning:
        StrAppend(text, "running for ", ms(now - e.started), "\n");
        break;
      case State::kDone:
        StrAppend(text, "done in ", ms(e.ended - e.started), "\n");
        break;
      case State::kFailed:
        StrAppend(text, "failed",
                  e.started ? StrCat(" after ", ms(e.ended - e.started)) : "",
                  "\n");
        break;
    }
  }
  return text;
}

}  // namespace sluice::collective
