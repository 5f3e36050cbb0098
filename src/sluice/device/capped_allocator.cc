#include "sluice/device/capped_allocator.h"

#include <algorithm>

namespace sluice {

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
  // Bytes asked for, where the host allocator may give more: what is counted is
  // what programs ask for, whatever lies behind.
  LiveBlocks::Entry* entry = blocks_.Add(bytes, block.record);
  if (!entry) {
    HostAllocator().Free(block);
    Uncount(bytes);
    return {};
  }
  block.record = entry;
  return block;
}

void CappedAllocator::Free(Block block) {
  if (!block.data) return;
  auto* entry = static_cast<LiveBlocks::Entry*>(block.record);
  Uncount(entry->bytes);
  block.record = entry->record;
  blocks_.Remove(entry);
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

TellsLive::Live CappedAllocator::TellLive() const {
  Live live{blocks_.Groups(), limit_.load(std::memory_order_relaxed)};
  int64_t small = in_use_.load(std::memory_order_relaxed);
  for (const LiveGroup& group : live.groups) small -= group.bytes;
  if (small > 0) live.groups.push_back({{"ops (small arrays)", {}}, small, 1});
  return live;
}

void CappedAllocator::ResetPeak() {
  peak_.store(in_use_.load(std::memory_order_relaxed),
              std::memory_order_relaxed);
}

}  // namespace sluice
