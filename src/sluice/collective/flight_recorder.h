// FlightRecorder: the last collectives of a rank and the state of each. When
// ranks disagree or one is missing, it shows which and where.
//
// Thread safe.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sluice/base/thread_annotations.h"

namespace sluice::collective {

// When a rank started and ended a collective, by this machine's clock
// (NowNanos). `number` counts the collectives of the group and is the same on
// every rank.
struct CollectiveTime {
  uint64_t number = 0;
  int64_t came = 0, ended = 0;
};

class FlightRecorder {
 public:
  explicit FlightRecorder(size_t keeps) : keeps_(keeps) {}

  enum class State : uint8_t { kQueued, kRunning, kDone, kFailed };

  // "all_reduce(f32[4], sum) at train.py:12". `number` is that of the
  // collective; 0: a message between two ranks.
  void Queue(uint64_t sequence, uint64_t number, std::string what);
  void Set(uint64_t sequence, State state);

  // One line per collective, oldest first.
  std::string ToString() const;
  // The successful collectives, oldest first.
  std::vector<CollectiveTime> Times() const;

 private:
  struct Entry {
    uint64_t sequence, number;
    std::string what;
    State state = State::kQueued;
    int64_t queued = 0, started = 0, ended = 0;  // NowNanos()
  };
  const size_t keeps_;
  mutable Mutex mu_;
  std::deque<Entry> entries_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice::collective
