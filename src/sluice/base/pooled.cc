#include "sluice/base/pooled.h"

#include <utility>

#include "sluice/base/sanitizers.h"

namespace sluice {

namespace {

constexpr size_t kStep = 16, kLargest = 1024, kDepth = 4096;

struct FreeBlock {
  FreeBlock* next;
};

// Of one thread. Blocks freed after its lists are gone go to the system.
struct Lists {
  FreeBlock* first[kLargest / kStep + 1] = {};
  size_t depth[kLargest / kStep + 1] = {};
};
thread_local Lists lists;
thread_local bool ended = false;

struct Ending {
  ~Ending() {
    ended = true;
    for (FreeBlock*& list : lists.first) {
      while (list) ::operator delete(std::exchange(list, list->next));
    }
  }
  void Touch() {}
};
thread_local Ending ending;

size_t ClassOf(size_t bytes) { return (bytes + kStep - 1) / kStep; }

}  // namespace

void* PoolAllocate(size_t bytes) {
  if (SL_ASAN || bytes > kLargest || ended) return ::operator new(bytes);
  size_t k = ClassOf(bytes);
  if (FreeBlock* block = lists.first[k]) {
    lists.first[k] = block->next;
    --lists.depth[k];
    return block;
  }
  ending.Touch();
  return ::operator new(k * kStep);
}

void PoolFree(void* block, size_t bytes) noexcept {
  if (!block) return;
  size_t k = ClassOf(bytes);
  if (SL_ASAN || bytes > kLargest || ended || lists.depth[k] >= kDepth) {
    ::operator delete(block);
    return;
  }
  if (lists.depth[k] == 0) ending.Touch();
  auto* free = static_cast<FreeBlock*>(block);
  free->next = lists.first[k];
  lists.first[k] = free;
  ++lists.depth[k];
}

}  // namespace sluice
