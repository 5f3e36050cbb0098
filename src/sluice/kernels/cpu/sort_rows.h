// Implementation of sort.h: rows distributed over threads with separate scratch
// memory, and the items that sorting and selecting move. Stateless.
#pragma once

#include <algorithm>

#include "sluice/base/checked_math.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/radix_sort.h"
#include "sluice/kernels/cpu/sort.h"
#include "sluice/kernels/cpu/sort_key.h"
#include "sluice/tensor/dispatch.h"

namespace sluice::sort_rows {

// Rows are processed by up to this many lanes at once, each with its own
// scratch memory; by fewer if rows are so long that scratch would be most of
// the memory.
inline constexpr int64_t kMostLanes = 16;
inline constexpr int64_t kScratchBytes = 64 << 20;

// Two lists of items, of the larger kind.
inline int64_t LaneBytes(const SortRows& job) {
  int64_t item = DTypeSize(job.dtype) > 4 || job.n > INT32_MAX ? 16 : 8;
  return AlignUp(2 * item * job.n, 64);
}

inline int64_t Lanes(const SortRows& job) {
  int64_t fit = kScratchBytes / std::max<int64_t>(1, LaneBytes(job));
  return std::clamp<int64_t>(std::min(job.rows, kMostLanes), 1,
                             std::max<int64_t>(1, fit));
}

// Calls each(row, lane's scratch, counts). Counts are given (and the pool can
// be used) only if there is a single lane.
template <class F>
void ForEachRow(const SortRows& job, void* scratch, WorkerPool* pool,
                F&& each) {
  if (job.rows == 0 || job.n == 0) return;
  int64_t lanes = Lanes(job), bytes = LaneBytes(job);
  auto* first = static_cast<char*>(scratch) + AlignUp(radix::kCountBytes, 64);
  if (lanes == 1) {
    for (int64_t r = 0; r < job.rows; ++r) {
      each(r, first, static_cast<uint64_t*>(scratch));
    }
    return;
  }
  // Adjacent rows are grouped; short ones in larger groups.
  int64_t group = std::max<int64_t>(1, 4096 / job.n);
  int64_t groups = (job.rows + group - 1) / group;
  ParallelFor(pool, std::min(lanes, groups), 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t lane = begin; lane < end; ++lane) {
                  for (int64_t g = lane; g < groups; g += lanes) {
                    int64_t last = std::min(job.rows, (g + 1) * group);
                    for (int64_t r = g * group; r < last; ++r) {
                      each(r, first + lane * bytes, nullptr);
                    }
                  }
                }
              });
}

// f(begin, end) for all of [0, n): on several threads if there is a single
// lane.
template <class F>
void InChunks(WorkerPool* pool, uint64_t* counts, int64_t n, F&& f) {
  ParallelFor(counts ? pool : nullptr, n, 1 << 15, f);
}

template <class F>
void DispatchSortable(DType dtype, F&& visit) {
  if (dtype == DType::kBool) dtype = DType::kU8;
  DispatchReals(dtype, visit);
}

// Keys in ascending order of the requested order.
template <class T, bool kKeepZeros>
void MakeKeys(const T* x, int64_t n, bool descending,
              typename SortKey<T>::Key* keys) {
  using Key = typename SortKey<T>::Key;
  auto flip = static_cast<Key>(descending ? ~Key{0} : Key{0});
  SL_VECTORIZE
  for (int64_t i = 0; i < n; ++i) {
    keys[i] =
        static_cast<Key>(SortKey<T>::template Of<kKeepZeros>(x[i]) ^ flip);
  }
}

// Items that sort by key, then position. Keys of up to 32 bits share a word
// with their position.
template <class Key>
inline constexpr bool kPacked = sizeof(Key) <= 4;

template <class Item>
Item MakeItem(uint64_t key, int64_t at) {
  if constexpr (std::is_same_v<Item, uint64_t>) {
    return key << 32 | static_cast<uint64_t>(at);
  } else {
    return {key, static_cast<uint64_t>(at)};
  }
}
template <class T, class Item>
void MakeItems(const T* x, int64_t first, int64_t n, bool descending,
               Item* items) {
  using Key = typename SortKey<T>::Key;
  auto flip = static_cast<Key>(descending ? ~Key{0} : Key{0});
  SL_VECTORIZE
  for (int64_t i = 0; i < n; ++i) {
    auto key = static_cast<Key>(SortKey<T>::Of(x[i]) ^ flip);
    items[i] = MakeItem<Item>(key, first + i);
  }
}
template <class Key>
Key KeyOf(uint64_t item) {
  return static_cast<Key>(item >> 32);
}
template <class Key>
Key KeyOf(const KeyAt& item) {
  return static_cast<Key>(item.key);
}
inline int64_t PlaceOf(uint64_t item) {
  return static_cast<int64_t>(item & 0xffffffffu);
}
inline int64_t PlaceOf(const KeyAt& item) {
  return static_cast<int64_t>(item.at);
}
template <class Item>
inline constexpr int kLowBit = std::is_same_v<Item, uint64_t> ? 32 : 0;

// Calls f.operator()<Item>() with the item type for T in rows of n.
template <class T, class F>
void WithItems(int64_t n, F&& f) {
  if constexpr (kPacked<typename SortKey<T>::Key>) {
    if (n <= INT32_MAX) return f.template operator()<uint64_t>();
  }
  f.template operator()<KeyAt>();
}

// All positions of a row in order.
template <class T, class Item>
Item* SortedItems(const T* x, int64_t n, bool descending, void* scratch,
                  WorkerPool* pool, uint64_t* counts) {
  auto* items = static_cast<Item*>(scratch);
  InChunks(pool, counts, n, [&](int64_t begin, int64_t end) {
    MakeItems(x + begin, begin, end - begin, descending, items + begin);
  });
  return RadixSort(items, items + n, n, kLowBit<Item>, SortKey<T>::kBits, pool,
                   counts);
}

}  // namespace sluice::sort_rows
