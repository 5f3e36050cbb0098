#include "sluice/device/capped_allocator.h"

#include <algorithm>

namespace sluice {

namespace {
// Bytes asked for, where the host allocator may give more: what is counted is
// what programs ask for, whatever lies behind.
void* AsRecord(int64_t bytes) { return reinterpret_cast<void*>(bytes); }
int64_t AsBytes(void* record) { return reinterpret_cast<intptr_t>(record); }
}  // namespace

bool CappedAllocator::Count(int64_t bytes) {
  int64_t now = in_use_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (now > limit_.load(std::memory_order_relaxed)) {
    Uncount(bytes);
    return false;
  }
  allocations_.fetch_add(1, std::memory_order_relaxed);
  int64_t peak = peak_.load(std::memory_order_relaxed);
  while (now > peak &&
         !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
  return true;
}

Block CappedAllocator::Allocate(int64_t bytes) {
  if (bytes < 0 || !Count(bytes)) return {};
  Block block = HostAllocator().Allocate(bytes);
  if (!block.data) {
    Uncount(bytes);
    return {};
  }
  block.record = AsRecord(bytes);
  return block;
}

void CappedAllocator::Free(Block block) {
  if (!block.data) return;
  Uncount(AsBytes(block.record));
  block.record = nullptr;
  HostAllocator().Free(block);
}

AllocatorStats CappedAllocator::stats() const {
  AllocatorStats stats;
  stats.bytes_in_use = in_use_.load(std::memory_order_relaxed);
  stats.peak_bytes =
      std::max(stats.bytes_in_use, peak_.load(std::memory_order_relaxed));
  stats.allocations = allocations_.load(std::memory_order_relaxed);
  return stats;
}

void CappedAllocator::ResetPeak() {
  peak_.store(in_use_.load(std::memory_order_relaxed),
              std::memory_order_relaxed);
}

}  // namespace sluice
