// Allocator: where the bytes of arrays come from. HostAllocator is the one for
// CPU memory: per-thread free lists for small blocks, a shared cache of large
// ones, huge pages for the largest. Freed blocks are kept and reused, because
// on big tensors the page faults of fresh memory cost thirty times the write.
//
// Thread safe. The host allocator lives as long as the process.
#pragma once

#include <cstdint>

namespace sluice {

struct AllocatorStats {
  int64_t bytes_in_use = 0;        // handed out now, in blocks of at least
                                   // kTrackedBytes
  int64_t peak_bytes = 0;          // the maximum since ResetPeak()
  int64_t bytes_cached = 0;        // free, kept for reuse
  int64_t allocations = 0;         // requests of at least kTrackedBytes
  int64_t system_allocations = 0;  // of those, how many reached the system
};

// A block, and the number of bytes the caller may use (at least what was
// requested).
struct Block {
  void* data = nullptr;  // 64-byte aligned; null when memory ran out
  int64_t bytes = 0;
  void* record = nullptr;  // the allocator's own, if it keeps one
};

class Memory;  // tensor/memory.h

class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual Block Allocate(int64_t bytes) = 0;
  virtual void Free(Block block) = 0;
  virtual AllocatorStats stats() const = 0;
  virtual void ResetPeak() = 0;
  // Requests that would raise the bytes in use above this limit are refused.
  // Initially: the machine's memory.
  virtual void SetLimit(int64_t bytes) = 0;
  // Gives cached memory back to the system.
  virtual void ReleaseCached() = 0;

  // The memory its blocks belong to; null: the host's main memory.
  Memory* memory() const { return memory_; }

 protected:
  Memory* memory_ = nullptr;
};

// Blocks smaller than this are not counted in AllocatorStats: counting would
// cost as much as the allocation.
inline constexpr int64_t kTrackedBytes = 4096;

Allocator& HostAllocator();

}  // namespace sluice
