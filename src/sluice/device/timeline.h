// Timelines: when and where work ran on devices that run behind the host.
//
// Each piece of work carries its issuer: the enclosing loop iteration
// (IssuesFor) and the user's line (AllocatesFor, tensor/live_blocks.h) of the
// issuing thread. Thread safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sluice/device/device.h"

namespace sluice {

// One executed piece of work, in seconds of the device's clock, which is
// virtual for a simulated device.
struct TimelineItem {
  std::string device, stream, label;
  double start = 0, end = 0;
  uint64_t order = 0;      // of issue
  double issued = 0;       // the time when the host had issued it
  int64_t iteration = -1;  // of the innermost loop; -1: none
  int64_t bytes = 0;       // that a copy moves, or a kernel reads and writes
  std::string line;        // "model.cc:41", if known
};

// Work issued by this thread belongs to this iteration. Lives on the stack.
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

// Records the work executed from now on by those of the devices that keep
// timelines; one recording at a time.
void StartTimelines(std::span<Device* const> devices);
// Sorted by start; stops recording.
std::vector<TimelineItem> TakeTimelines(std::span<Device* const> devices);

}  // namespace sluice
