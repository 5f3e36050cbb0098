// CappedAllocator: host memory that is counted to the byte and limited, for one
// of several CPU devices. Blocks come from the process's host allocator, and
// the elements of small arrays from behind their rep (tensor/array.cc).
//
// What is counted is what was made on the device, from then until nobody reads
// it any more, on whichever device: kernels of another CPU device of a step
// read it where it lies (plan/plan_builder.cc).
//
// Thread safe; lives as long as its device.
#pragma once

#include <atomic>

#include "sluice/tensor/counted_allocator.h"
#include "sluice/tensor/live_blocks.h"
#include "sluice/tensor/memory.h"

namespace sluice {

class CappedAllocator final : public CountedAllocator, public TellsLive {
 public:
  explicit CappedAllocator(Memory& memory) { memory_ = &memory; }

  Block Allocate(int64_t bytes) override;
  void Free(Block block) override;
  bool Count(int64_t bytes) override;
  void Uncount(int64_t bytes) override {
    in_use_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  AllocatorStats stats() const override;
  void ResetPeak() override;
  void SetLimit(int64_t bytes) override { limit_ = bytes; }
  void ReleaseCached() override {}
  // Arrays behind their rep, which have no block, are told as one.
  Live TellLive() const override;
  int64_t limit() const override { return limit_; }

 private:
  std::atomic<int64_t> in_use_{0}, peak_{0}, allocations_{0};
  std::atomic<int64_t> limit_{INT64_MAX};
  LiveBlocks blocks_;
};

}  // namespace sluice
