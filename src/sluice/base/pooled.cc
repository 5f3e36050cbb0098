#include "sluice/base/pooled.h"

#include <utility>

#include "sluice/base/sanitizers.h"
#include "sluice/base/thread_owned.h"

namespace sluice {

namespace {

constexpr size_t kStep = 16, kLargest = 1024, kDepth = 4096;

struct FreeBlock {
  FreeBlock* next;
};

// The lists of one thread. Blocks freed after its lists are gone go to the
// system.
struct Lists {
  ~Lists() {
    for (FreeBlock*& list : first) {
      while (list) ::operator delete(std::exchange(list, list->next));
    }
  }
  FreeBlock* first[kLargest / kStep + 1] = {};
  size_t depth[kLargest / kStep + 1] = {};
};

size_t ClassOf(size_t bytes) { return (bytes + kStep - 1) / kStep; }

}  // namespace

void* PoolAllocate(size_t bytes) {
  if (SL_ASAN || bytes > kLargest) return ::operator new(bytes);
  size_t k = ClassOf(bytes);
  Lists* lists = ThreadOwned<Lists>::Find();
  if (lists && lists->first[k]) {
    --lists->depth[k];
    return std::exchange(lists->first[k], lists->first[k]->next);
  }
  return ::operator new(k * kStep);
}

void PoolFree(void* block, size_t bytes) noexcept {
  if (!block) return;
  size_t k = ClassOf(bytes);
  Lists* lists =
      SL_ASAN || bytes > kLargest ? nullptr : ThreadOwned<Lists>::Find();
  if (!lists || lists->depth[k] >= kDepth) {
    ::operator delete(block);
    return;
  }
  auto* free = static_cast<FreeBlock*>(block);
  free->next = lists->first[k];
  lists->first[k] = free;
  ++lists->depth[k];
}

}  // namespace sluice
