// CappedAllocator: host memory that is counted to the byte and limited, for one
// of several CPU devices. Blocks come from the process's host allocator.
//
// Thread safe; lives as long as its device.
#pragma once

#include <atomic>

#include "sluice/tensor/memory.h"

namespace sluice {

class CappedAllocator final : public Allocator {
 public:
  explicit CappedAllocator(Memory& memory) { memory_ = &memory; }

  Block Allocate(int64_t bytes) override;
  void Free(Block block) override;
  AllocatorStats stats() const override;
  void ResetPeak() override;
  void SetLimit(int64_t bytes) override { limit_ = bytes; }
  void ReleaseCached() override {}

 private:
  std::atomic<int64_t> in_use_{0}, peak_{0}, allocations_{0};
  std::atomic<int64_t> limit_{INT64_MAX};
};

}  // namespace sluice
