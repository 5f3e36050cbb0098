// Timelines: when what ran where, on devices that run behind the host.
//
// A piece of work carries who issued it: the iteration of the loop around it
// (IssuesFor) and the user's line (AllocatesFor, tensor/live_blocks.h), as they
// are on the thread that issues it. Thread safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sluice/device/device.h"

namespace sluice {

// One piece of work as it was executed, in seconds of the device's clock, which
// is virtual for a simulated one.
struct TimelineItem {
  std::string device, stream, label;
  double start = 0, end = 0;
  uint64_t order = 0;      // of issue
  double issued = 0;       // when the host had issued it
  int64_t iteration = -1;  // of the innermost loop; -1: in none
  int64_t bytes = 0;       // that a copy moves, or a kernel reads and writes
  std::string line;        // "model.cc:41", where it is known
};

// What this thread issues is an iteration's work. On the stack.
class [[nodiscard]] IssuesFor {
 public:
  explicit IssuesFor(int64_t iteration) : outer_(current_) {
    current_ = iteration;
  }
  ~IssuesFor() { current_ = outer_; }
  IssuesFor(const IssuesFor&) = delete;
  IssuesFor& operator=(const IssuesFor&) = delete;
  static int64_t Current() { return current_; }

 private:
  static constinit thread_local int64_t current_;
  const int64_t outer_;
};

// What those of the devices that keep timelines execute is written down from
// now on; one recording at a time.
void StartTimelines(std::span<Device* const> devices);
// By start; ends the recording.
std::vector<TimelineItem> TakeTimelines(std::span<Device* const> devices);

}  // namespace sluice
