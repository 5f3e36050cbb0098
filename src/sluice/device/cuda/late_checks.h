// LateChecks: what kernels of a GPU find wrong in their inputs (an index out of
// range), told to the host after the launch has returned.
//
// A launch that can find something takes a slot: a line of memory that both
// sides see. The kernel that finds something writes two numbers there; whoever
// next waits for the device looks at the slots in use and calls back those
// concerned. A slot is free again when the work before it is done.
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
  // As kernels see it: found != 0 once something is wrong.
  struct Slot {
    uint32_t found;
    uint32_t unused;
    int64_t a, b;  // the first that was found: an index and its bound, say
  };
  using Finding = std::function<void(int64_t a, int64_t b)>;

  Status Begin();
  // The device's address of a clean slot. `finding` is called if the kernel
  // writes to it, from whoever waits for the device.
  CUdeviceptr Take(Finding finding) SL_EXCLUDES(mu_);
  // One for a launch that is recorded to run many times: it stays until it is
  // released, and then as long as what is on the stream by now.
  CUdeviceptr Keep(Finding finding) SL_EXCLUDES(mu_);
  void Release(CUdeviceptr slot, Stream& stream) SL_EXCLUDES(mu_);
  // The launch that this thread last took a slot for has been issued on this
  // stream.
  void Issued(Stream& stream) SL_EXCLUDES(mu_);
  // Calls back for all that has been found by now.
  void Tell() SL_EXCLUDES(mu_);

 private:
  // Slots are made so many at a time, when there is none and none is on its
  // way to be free.
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
