// CappedAllocator: host memory with an exact byte count and a limit, for one of
// several CPU devices. Blocks come from the host allocator of the process; the
// elements of small arrays are stored behind their rep (tensor/array.cc).
//
// It counts the memory allocated on its device until the last reader is done,
// whichever device the reader is on: in a step, kernels of another CPU device
// read it in place (plan/plan_builder.cc).
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
  // Arrays stored behind their rep have no block and are reported as one.
  Live TellLive() const override;
  int64_t limit() const override { return limit_; }

 private:
  std::atomic<int64_t> in_use_{0}, peak_{0}, allocations_{0};
  std::atomic<int64_t> limit_{INT64_MAX};
  LiveBlocks blocks_;
};

}  // namespace sluice
