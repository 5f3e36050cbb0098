// Small blocks of memory kept for reuse: each thread has a list of free blocks
// per size, so that objects created and destroyed by the million (recorded ops,
// attribute lists) cost a few nanoseconds and no call of the system's
// allocator. A thread may free blocks that another one allocated.
//
//   class Node : public Pooled<Node> { ... };       // new Node, delete node
//   std::vector<Entry, PoolAllocator<Entry>>
//
// Under AddressSanitizer all blocks come from the system, so that it detects
// errors.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace sluice {

// 16-byte aligned.
void* PoolAllocate(size_t bytes);
void PoolFree(void* block, size_t bytes) noexcept;

template <class T>
struct Pooled {
  static void* operator new(size_t bytes) { return PoolAllocate(bytes); }
  static void operator delete(void* block, size_t bytes) noexcept {
    PoolFree(block, bytes);
  }
};

template <class T>
struct PoolAllocator {
  using value_type = T;
  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>&) {}
  T* allocate(size_t n) {
    static_assert(alignof(T) <= 16);
    if (n > static_cast<size_t>(-1) / sizeof(T))
      throw std::bad_array_new_length();
    return static_cast<T*>(PoolAllocate(n * sizeof(T)));
  }
  void deallocate(T* block, size_t n) noexcept {
    PoolFree(block, n * sizeof(T));
  }
  bool operator==(const PoolAllocator&) const { return true; }
};

// For short-lived lists.
template <class T>
using PoolVector = std::vector<T, PoolAllocator<T>>;

}  // namespace sluice
