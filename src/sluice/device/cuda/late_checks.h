// LateChecks: errors that GPU kernels find in their inputs, such as an index
// out of range, reported to the host after the launch has returned.
//
// A launch that can find errors takes a slot: a small piece of memory visible
// to both sides. A kernel that finds an error writes two numbers there. The
// next thread that waits for the device checks the slots in use and calls the
// callbacks of those written. A slot is free again when the work before it is
// done.
//
// Thread safe. Lives as long as its device.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/device/cuda/driver.h"
#include "sluice/device/device.h"

namespace sluice {

class LateChecks {
 public:
  // The kernel's view: found != 0 after an error.
  struct Slot {
    uint32_t found;
    uint32_t unused;
    int64_t a, b;  // the first error, e.g. an index and its bound
  };
  using Finding = std::function<void(int64_t a, int64_t b)>;

  Status Begin();
  // The device address of a clean slot. If the kernel writes to it, a thread
  // that waits for the device calls `finding`.
  CUdeviceptr Take(Finding finding) SL_EXCLUDES(mu_);
  // A slot for a launch that is recorded to run many times: kept until it is
  // released, and then until the current work of the stream is done.
  CUdeviceptr Keep(Finding finding) SL_EXCLUDES(mu_);
  void Release(CUdeviceptr slot, Stream& stream) SL_EXCLUDES(mu_);
  // Tells that the launch for which this thread last took a slot has been
  // issued on this stream.
  void Issued(Stream& stream) SL_EXCLUDES(mu_);
  // Calls back for all errors found so far.
  void Tell() SL_EXCLUDES(mu_);

 private:
  // Slots are created in batches of this size, when none is free or about to
  // become free.
  static constexpr size_t kSlots = 1024;
  struct Place {
    volatile Slot* host = nullptr;
    CUdeviceptr device = 0;
  };
  struct Use {
    Place slot;
    EventRef done;
    Finding finding;
    std::thread::id taker;
  };

  Status AddSlots() SL_REQUIRES(mu_);

  Mutex mu_;
  std::vector<Place> free_ SL_GUARDED_BY(mu_);
  std::deque<Use> uses_ SL_GUARDED_BY(mu_);
  std::vector<Use> kept_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice
