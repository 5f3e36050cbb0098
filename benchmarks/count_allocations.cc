#include "benchmarks/count_allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include "sluice/tensor/allocator.h"

namespace {

std::atomic<int64_t> calls{0};

void* Counted(std::size_t bytes) {
  calls.fetch_add(1, std::memory_order_relaxed);
  if (void* block = std::malloc(bytes ? bytes : 1)) return block;
  throw std::bad_alloc();
}

}  // namespace

// The aligned forms stay the library's: nobody here uses them often.
void* operator new(std::size_t bytes) { return Counted(bytes); }
void* operator new[](std::size_t bytes) { return Counted(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  calls.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(bytes ? bytes : 1);
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }

namespace sluice::bench {

int64_t HeapAllocations() {
  return calls.load(std::memory_order_relaxed) +
         HostAllocator().stats().system_allocations;
}

}  // namespace sluice::bench
