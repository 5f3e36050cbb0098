#include "sluice/device/cuda/late_checks.h"

#include <algorithm>
#include <utility>

namespace sluice {

Status LateChecks::Begin() {
  void* memory = nullptr;
  SL_CUDA(cuMemHostAlloc(&memory, kSlots * sizeof(Slot),
                         CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE),
          "making memory that host and GPU share");
  slots_ = static_cast<volatile Slot*>(memory);
  SL_CUDA(cuMemHostGetDevicePointer(&device_slots_, memory, 0),
          "making memory that host and GPU share");
  MutexLock lock(mu_);
  for (int i = kSlots - 1; i >= 0; --i) free_.push_back(i);
  return OkStatus();
}

CUdeviceptr LateChecks::Take(Finding finding) {
  for (;;) {
    EventRef oldest;
    {
      MutexLock lock(mu_);
      if (!free_.empty()) {
        Use use{free_.back(), nullptr, std::move(finding),
                std::this_thread::get_id()};
        free_.pop_back();
        slots_[use.slot].found = 0;
        uses_.push_back(std::move(use));
        return device_slots_ +
               static_cast<CUdeviceptr>(uses_.back().slot) * sizeof(Slot);
      }
      oldest = uses_.front().done;
    }
    while (oldest && !oldest->Reached()) {
    }
    Tell();
  }
}

CUdeviceptr LateChecks::Keep(Finding finding) {
  CUdeviceptr at = Take(std::move(finding));
  MutexLock lock(mu_);
  auto slot = static_cast<int>((at - device_slots_) / sizeof(Slot));
  auto use = std::find_if(uses_.begin(), uses_.end(),
                          [&](const Use& u) { return u.slot == slot; });
  kept_.push_back(std::move(*use));
  uses_.erase(use);
  return at;
}

void LateChecks::Issued(Stream& stream) {
  EventRef done = stream.Record();
  MutexLock lock(mu_);
  for (auto use = uses_.rbegin(); use != uses_.rend(); ++use) {
    if (!use->done && use->taker == std::this_thread::get_id()) {
      use->done = std::move(done);
      return;
    }
  }
}

void LateChecks::Tell() {
  struct Found {
    Finding finding;
    int64_t a, b;
  };
  std::vector<Found> found;
  {
    MutexLock lock(mu_);
    // Of all uses: the first may be of a launch that another thread has yet to
    // issue.
    std::deque<Use> under_way;
    for (Use& use : uses_) {
      if (!use.done || !use.done->Reached()) {
        under_way.push_back(std::move(use));
        continue;
      }
      volatile Slot& slot = slots_[use.slot];
      if (slot.found) {
        found.push_back({std::move(use.finding), slot.a, slot.b});
      }
      free_.push_back(use.slot);
    }
    uses_ = std::move(under_way);
    for (Use& use : kept_) {
      volatile Slot& slot = slots_[use.slot];
      if (!slot.found) continue;
      found.push_back({use.finding, slot.a, slot.b});
      slot.found = 0;
    }
  }
  for (Found& f : found) f.finding(f.a, f.b);
}

}  // namespace sluice
