#include "sluice/tensor/allocator.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "sluice/base/checked_math.h"
#include "sluice/base/sanitizers.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/base/thread_owned.h"
#include "sluice/tensor/live_blocks.h"
#include "sluice/tensor/memory_limit.h"

namespace sluice {

namespace {

constexpr int64_t kAlignment = 64;
constexpr int64_t kSmallLimit = 4096;  // up to here: per-thread lists
constexpr int kSmallClasses = kSmallLimit / kAlignment;
// Whether a thread keeps enough blocks of a class: either they take little
// memory, or there are as many as a loop of a few hundred iterations stores for
// its gradient.
constexpr bool SmallCacheFull(int blocks, int64_t block_bytes) {
  return blocks >= 64 && blocks * block_bytes >= 128 << 10;
}
constexpr int64_t kHugePage = int64_t{2} << 20;
constexpr int64_t kMaxCached = int64_t{4} << 30;
// Blocks from this size on record what they were allocated for: they are the
// ones that exhaust memory, and recording costs nothing compared to filling
// one.
constexpr int64_t kKnownBytes = int64_t{1} << 20;

// Large sizes are rounded to four steps per power of two: at most a fifth of a
// block is wasted, and sizes that differ a little share their free blocks.
int64_t RoundLarge(int64_t bytes) {
  int64_t power =
      static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(bytes)));
  return AlignUp(bytes, std::max(power / 4, kAlignment));
}

// Exactly this many bytes, so that a sanitizer detects the first access beyond
// them.
void* ExactAllocate(int64_t bytes) {
  void* p = nullptr;
  int failed = posix_memalign(&p, kAlignment, static_cast<size_t>(bytes));
  return failed ? nullptr : p;
}

void* SystemAllocate(int64_t bytes) {
  if (SL_ASAN) return ExactAllocate(bytes);
  if (bytes >= kHugePage) {
    // Aligned to a huge page so that madvise can take effect from the start.
    void* p = mmap(nullptr, static_cast<size_t>(bytes + kHugePage),
                   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return nullptr;
    auto start = reinterpret_cast<uintptr_t>(p);
    uintptr_t aligned =
        (start + kHugePage - 1) & ~static_cast<uintptr_t>(kHugePage - 1);
    if (aligned > start) munmap(p, aligned - start);
    uintptr_t end = start + static_cast<uintptr_t>(bytes + kHugePage);
    uintptr_t used_end = aligned + static_cast<uintptr_t>(bytes);
    used_end = (used_end + 4095) & ~static_cast<uintptr_t>(4095);
    if (end > used_end)
      munmap(reinterpret_cast<void*>(used_end), end - used_end);
    madvise(reinterpret_cast<void*>(aligned), static_cast<size_t>(bytes),
            MADV_HUGEPAGE);
    return reinterpret_cast<void*>(aligned);
  }
  return std::aligned_alloc(kAlignment,
                            static_cast<size_t>(AlignUp(bytes, kAlignment)));
}

void SystemFree(void* p, int64_t bytes) {
  if (bytes >= kHugePage && !SL_ASAN) {
    munmap(p, static_cast<size_t>(AlignUp(bytes, 4096)));
  } else {
    std::free(p);
  }
}

// Free small blocks of one thread. Blocks freed on another thread than the one
// that allocated them simply move to that thread's list; blocks freed after a
// thread's lists are gone go straight to the system.
struct SmallCache {
  void* heads[kSmallClasses + 1] = {};
  int depth[kSmallClasses + 1] = {};
  ~SmallCache() {
    for (void*& head : heads) {
      while (head) {
        void* next = *static_cast<void**>(head);
        std::free(head);
        head = next;
      }
    }
  }
};

class CachingHostAllocator final : public Allocator, public TellsLive {
 public:
  Block Allocate(int64_t bytes) override {
    if (bytes < 0) return {};
    if (bytes == 0) bytes = 1;
    if (bytes <= kSmallLimit) return AllocateSmall(bytes);
    // The system would promise more memory than it has and kill the process on
    // access: refuse requests that cannot fit.
    int64_t room = limit_.load(std::memory_order_relaxed) -
                   in_use_.load(std::memory_order_relaxed);
    if (bytes > room) return {};
    int64_t rounded = SL_ASAN ? bytes : RoundLarge(bytes);
    void* p = SL_ASAN ? nullptr : TakeCached(rounded);
    allocations_.fetch_add(1, std::memory_order_relaxed);
    if (!p) {
      // Blocks kept for reuse take memory, too.
      if (rounded > room - cached_.load(std::memory_order_relaxed)) {
        ReleaseCached();
      }
      p = SystemAllocate(rounded);
      if (!p) {
        ReleaseCached();
        p = SystemAllocate(rounded);
        if (!p) return {};
      }
      system_allocations_.fetch_add(1, std::memory_order_relaxed);
    }
    int64_t now =
        in_use_.fetch_add(rounded, std::memory_order_relaxed) + rounded;
    int64_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak &&
           !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
    void* known = rounded >= kKnownBytes ? known_.Add(rounded) : nullptr;
    return {p, rounded, known};
  }

  void Free(Block block) override {
    if (!block.data) return;
    if (block.bytes <= kSmallLimit) return FreeSmall(block);
    in_use_.fetch_sub(block.bytes, std::memory_order_relaxed);
    if (block.record) {
      known_.Remove(static_cast<LiveBlocks::Entry*>(block.record));
      block.record = nullptr;
    }
    if (!SL_ASAN) block = Keep(block);
    if (block.data) SystemFree(block.data, block.bytes);
  }

  AllocatorStats stats() const override {
    AllocatorStats s;
    s.bytes_in_use = in_use_.load(std::memory_order_relaxed);
    s.peak_bytes = peak_.load(std::memory_order_relaxed);
    s.allocations = allocations_.load(std::memory_order_relaxed);
    s.system_allocations = system_allocations_.load(std::memory_order_relaxed);
    MutexLock lock(mu_);
    s.bytes_cached = cached_.load(std::memory_order_relaxed);
    for (int i = 0; i < kFirstClasses; ++i) {
      if (first_[i].load(std::memory_order_relaxed)) {
        s.bytes_cached += ClassBytes(i);
      }
    }
    return s;
  }

  void ResetPeak() override {
    peak_.store(in_use_.load(std::memory_order_relaxed),
                std::memory_order_relaxed);
  }

  void SetLimit(int64_t bytes) override {
    limit_.store(bytes, std::memory_order_relaxed);
  }

  int64_t limit() const override {
    return limit_.load(std::memory_order_relaxed);
  }
  Live TellLive() const override {
    return {known_.Groups(), limit_.load(std::memory_order_relaxed)};
  }

  void BeforeFork() SL_NO_THREAD_SAFETY_ANALYSIS {
    mu_.lock();
    known_.BeforeFork();
  }
  void AfterFork() SL_NO_THREAD_SAFETY_ANALYSIS {
    known_.AfterFork();
    mu_.unlock();
  }

  void ReleaseCached() override {
    // Must not allocate: it is called when memory has run out.
    std::vector<Block> blocks;
    {
      MutexLock lock(mu_);
      blocks.swap(free_);
      cached_ = 0;
    }
    for (int i = 0; i < kFirstClasses; ++i) {
      if (void* p = first_[i].exchange(nullptr, std::memory_order_acquire)) {
        SystemFree(p, ClassBytes(i));
      }
    }
    for (Block b : blocks) SystemFree(b.data, b.bytes);
  }

 private:
  Block AllocateSmall(int64_t bytes) {
    if (SL_ASAN) return {ExactAllocate(bytes), bytes};
    int64_t rounded = AlignUp(bytes, kAlignment);
    int cls = static_cast<int>(rounded / kAlignment);
    SmallCache* cache = ThreadOwned<SmallCache>::Find();
    if (void* p = cache ? cache->heads[cls] : nullptr) {
      cache->heads[cls] = *static_cast<void**>(p);
      --cache->depth[cls];
      return {p, rounded};
    }
    return {std::aligned_alloc(kAlignment, static_cast<size_t>(rounded)),
            rounded};
  }

  void FreeSmall(Block block) {
    SmallCache* cache = SL_ASAN ? nullptr : ThreadOwned<SmallCache>::Find();
    int cls = static_cast<int>(block.bytes / kAlignment);
    if (!cache || SmallCacheFull(cache->depth[cls], block.bytes)) {
      std::free(block.data);
      return;
    }
    *static_cast<void**>(block.data) = cache->heads[cls];
    cache->heads[cls] = block.data;
    ++cache->depth[cls];
  }

  // The most recently freed block of each size up to kFirstLimit can be taken
  // without the lock: programs free and allocate the same few sizes.
  static constexpr int64_t kFirstLimit = 1 << 20;
  static constexpr int kFirstClasses = 4 * 8;
  static int ClassOf(int64_t bytes) {
    int power = std::bit_width(static_cast<uint64_t>(bytes)) - 1;
    int step = static_cast<int>(bytes >> (power - 2)) - 4;
    return 4 * (power - 12) + step;
  }
  static int64_t ClassBytes(int cls) {
    return static_cast<int64_t>(4 + cls % 4) << (cls / 4 + 10);
  }

  // Keeps the block and returns one that is not kept.
  Block Keep(Block block) {
    if (block.bytes < kFirstLimit) {
      block.data = first_[ClassOf(block.bytes)].exchange(
          block.data, std::memory_order_acq_rel);
      if (!block.data) return {};
    }
    MutexLock lock(mu_);
    if (cached_ + block.bytes > kMaxCached) return block;
    try {
      free_.push_back(block);
    } catch (const std::bad_alloc&) {
      return block;  // no memory to record it
    }
    cached_ += block.bytes;
    return {};
  }

  void* TakeCached(int64_t bytes) {
    if (bytes < kFirstLimit) {
      void* p =
          first_[ClassOf(bytes)].exchange(nullptr, std::memory_order_acq_rel);
      if (p) return p;
    }
    MutexLock lock(mu_);
    // Newest first: it is most likely to be in cache.
    for (size_t i = free_.size(); i-- > 0;) {
      if (free_[i].bytes != bytes) continue;
      void* p = free_[i].data;
      free_.erase(free_.begin() + static_cast<ptrdiff_t>(i));
      cached_ -= bytes;
      return p;
    }
    return nullptr;
  }

  std::atomic<int64_t> in_use_{0}, peak_{0}, allocations_{0},
      system_allocations_{0};
  std::atomic<int64_t> limit_{MemoryLimit()};
  std::atomic<void*> first_[kFirstClasses] = {};
  LiveBlocks known_;
  mutable Mutex mu_;
  std::vector<Block> free_ SL_GUARDED_BY(mu_);
  std::atomic<int64_t> cached_{0};  // written under mu_
};

CachingHostAllocator& TheHostAllocator() {
  // Never destroyed: arrays may be freed by static destructors.
  static auto* allocator = [] {
    auto* made = new CachingHostAllocator;
    // A forked child gets a copy of the lock but not the thread that holds it:
    // so nobody may hold it during a fork.
    pthread_atfork([] { TheHostAllocator().BeforeFork(); },
                   [] { TheHostAllocator().AfterFork(); },
                   [] { TheHostAllocator().AfterFork(); });
    return made;
  }();
  return *allocator;
}

}  // namespace

Allocator& HostAllocator() { return TheHostAllocator(); }

}  // namespace sluice
