// WorkDeque: a Chase-Lev work-stealing deque. The owner pushes and pops at the
// bottom without contention; thieves take from the top. Sequentially consistent
// operations replace the fences of the published algorithm: thread checkers
// understand them, and the owner's fast path is one such store.
//
// One owner thread, any number of thieves. T must be a pointer-sized value.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace sluice {

template <class T>
class WorkDeque {
 public:
  WorkDeque() { NewRing(256); }

  // Owner only.
  void Push(T item) {
    int64_t b = bottom_.load(std::memory_order_relaxed);
    int64_t t = top_.load(std::memory_order_acquire);
    Ring* ring = ring_.load(std::memory_order_relaxed);
    if (b - t >= ring->capacity) ring = Grow(ring, t, b);
    ring->at(b).store(item, std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_seq_cst);
  }

  // Owner only. False when empty.
  bool Pop(T* item) {
    int64_t b = bottom_.load(std::memory_order_relaxed) - 1;
    Ring* ring = ring_.load(std::memory_order_relaxed);
    bottom_.store(b, std::memory_order_seq_cst);
    int64_t t = top_.load(std::memory_order_seq_cst);
    if (t > b) {
      bottom_.store(b + 1, std::memory_order_relaxed);
      return false;
    }
    *item = ring->at(b).load(std::memory_order_relaxed);
    if (t == b) {
      // The last item: race the thieves for it.
      bool won =
          top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst);
      bottom_.store(b + 1, std::memory_order_relaxed);
      return won;
    }
    return true;
  }

  // Any thread. False when empty or when another thief was faster.
  bool Steal(T* item) {
    int64_t t = top_.load(std::memory_order_seq_cst);
    int64_t b = bottom_.load(std::memory_order_seq_cst);
    if (t >= b) return false;
    Ring* ring = ring_.load(std::memory_order_acquire);
    *item = ring->at(t).load(std::memory_order_relaxed);
    return top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst);
  }

  bool Empty() const {
    return top_.load(std::memory_order_relaxed) >=
           bottom_.load(std::memory_order_relaxed);
  }

 private:
  struct Ring {
    explicit Ring(int64_t n)
        : capacity(n), items(new std::atomic<T>[static_cast<size_t>(n)]) {}
    std::atomic<T>& at(int64_t i) {
      return items[static_cast<size_t>(i & (capacity - 1))];
    }
    int64_t capacity;
    std::unique_ptr<std::atomic<T>[]> items;
  };

  Ring* NewRing(int64_t capacity) {
    rings_.push_back(std::make_unique<Ring>(capacity));
    ring_.store(rings_.back().get(), std::memory_order_release);
    return rings_.back().get();
  }

  // Old rings stay until the deque is destroyed: a slow thief may still read
  // them.
  Ring* Grow(Ring* old, int64_t t, int64_t b) {
    auto bigger = std::make_unique<Ring>(old->capacity * 2);
    for (int64_t i = t; i < b; ++i) {
      bigger->at(i).store(old->at(i).load(std::memory_order_relaxed),
                          std::memory_order_relaxed);
    }
    rings_.push_back(std::move(bigger));
    ring_.store(rings_.back().get(), std::memory_order_release);
    return rings_.back().get();
  }

  alignas(64) std::atomic<int64_t> top_{0};
  alignas(64) std::atomic<int64_t> bottom_{0};
  std::atomic<Ring*> ring_{nullptr};
  std::vector<std::unique_ptr<Ring>> rings_;  // owner only
};

}  // namespace sluice
