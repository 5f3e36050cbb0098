#include "sluice/device/cuda/late_checks.h"

#include <algorithm>
#include <utility>

namespace sluice {

Status LateChecks::Begin() {
  MutexLock lock(mu_);
  return AddSlots();
}

Status LateChecks::AddSlots() {
  void* memory = nullptr;
  SL_CUDA(cuMemHostAlloc(&memory, kSlots * sizeof(Slot),
                         CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE),
          "making memory that host and GPU share");
  CUdeviceptr there = 0;
  SL_CUDA(cuMemHostGetDevicePointer(&there, memory, 0),
          "making memory that host and GPU share");
  auto* here = static_cast<volatile Slot*>(memory);
  for (size_t i = kSlots; i-- > 0;) {
    free_.push_back({here + i, there + i * sizeof(Slot)});
  }
  return OkStatus();
}

CUdeviceptr LateChecks::Take(Finding finding) {
  for (;;) {
    EventRef oldest;
    {
      MutexLock lock(mu_);
      auto issued = std::find_if(uses_.begin(), uses_.end(),
                                 [](const Use& use) { return use.done; });
      // Where there is no memory either, others may yet issue theirs.
      if (free_.empty() && issued == uses_.end()) (void)AddSlots();
      if (!free_.empty()) {
        Use use{free_.back(), nullptr, std::move(finding),
                std::this_thread::get_id()};
        free_.pop_back();
        use.slot.host->found = 0;
        uses_.push_back(std::move(use));
        return uses_.back().slot.device;
      }
      if (issued != uses_.end()) oldest = issued->done;
    }
    while (oldest && !oldest->Reached()) {
    }
    Tell();
  }
}

CUdeviceptr LateChecks::Keep(Finding finding) {
  CUdeviceptr at = Take(std::move(finding));
  MutexLock lock(mu_);
  auto use = std::find_if(uses_.begin(), uses_.end(),
                          [&](const Use& u) { return u.slot.device == at; });
  kept_.push_back(std::move(*use));
  uses_.erase(use);
  return at;
}

void LateChecks::Release(CUdeviceptr slot, Stream& stream) {
  EventRef done = stream.Record();
  MutexLock lock(mu_);
  auto use = std::find_if(kept_.begin(), kept_.end(),
                          [&](const Use& u) { return u.slot.device == slot; });
  if (use == kept_.end()) return;
  use->done = std::move(done);
  uses_.push_back(std::move(*use));
  kept_.erase(use);
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
      volatile Slot& slot = *use.slot.host;
      if (slot.found) {
        found.push_back({std::move(use.finding), slot.a, slot.b});
      }
      free_.push_back(use.slot);
    }
    uses_ = std::move(under_way);
    for (Use& use : kept_) {
      volatile Slot& slot = *use.slot.host;
      if (!slot.found) continue;
      found.push_back({use.finding, slot.a, slot.b});
      slot.found = 0;
    }
  }
  for (Found& f : found) f.finding(f.a, f.b);
}

}  // namespace sluice
