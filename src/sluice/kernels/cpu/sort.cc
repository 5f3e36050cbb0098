#include "sluice/kernels/cpu/sort.h"

#include <algorithm>

#include "sluice/base/checked_math.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/radix_sort.h"
#include "sluice/kernels/cpu/sort_key.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

namespace {

// Rows are handled by up to this many lanes at once, each with scratch of its
// own; fewer when rows are so long that scratch would be most of the memory.
constexpr int64_t kMostLanes = 16;
constexpr int64_t kScratchBytes = 64 << 20;

// Two lists of items, the larger kind.
int64_t LaneBytes(const SortRows& job) {
  int64_t item = DTypeSize(job.dtype) > 4 || job.n > INT32_MAX ? 16 : 8;
  return AlignUp(2 * item * job.n, 64);
}

int64_t Lanes(const SortRows& job) {
  int64_t fit = kScratchBytes / std::max<int64_t>(1, LaneBytes(job));
  return std::clamp<int64_t>(std::min(job.rows, kMostLanes), 1,
                             std::max<int64_t>(1, fit));
}

// Calls each(row, lane's scratch, counts). Counts are there (and the pool is of
// use) when there is but one lane.
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
  // Neighbouring rows go together; short ones in larger groups.
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

// f(begin, end) for all of [0, n): on threads where a row has them to itself.
template <class F>
void InChunks(WorkerPool* pool, uint64_t* counts, int64_t n, F&& f) {
  ParallelFor(counts ? pool : nullptr, n, 1 << 15, f);
}

template <class F>
void DispatchSortable(DType dtype, F&& visit) {
  if (dtype == DType::kBool) dtype = DType::kU8;
  DispatchReals(dtype, visit);
}

// Keys in ascending order of what is wanted.
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

// Items that sort by key, then place. Keys of up to 32 bits share a word with
// their place.
template <class Key>
inline constexpr bool kPacked = sizeof(Key) <= 4;

template <class T>
void MakeItems(const T* x, int64_t first, int64_t n, bool descending,
               uint64_t* items) {
  using Key = typename SortKey<T>::Key;
  auto flip = static_cast<Key>(descending ? ~Key{0} : Key{0});
  SL_VECTORIZE
  for (int64_t i = 0; i < n; ++i) {
    auto key = static_cast<Key>(SortKey<T>::Of(x[i]) ^ flip);
    items[i] =
        static_cast<uint64_t>(key) << 32 | static_cast<uint64_t>(first + i);
  }
}
template <class T>
void MakeItems(const T* x, int64_t first, int64_t n, bool descending,
               KeyAt* items) {
  using Key = typename SortKey<T>::Key;
  auto flip = static_cast<Key>(descending ? ~Key{0} : Key{0});
  for (int64_t i = 0; i < n; ++i) {
    auto key = static_cast<Key>(SortKey<T>::Of(x[i]) ^ flip);
    items[i] = {key, static_cast<uint64_t>(first + i)};
  }
}
template <class Item>
Item MakeItem(uint64_t key, int64_t at) {
  if constexpr (std::is_same_v<Item, uint64_t>) {
    return key << 32 | static_cast<uint64_t>(at);
  } else {
    return {key, static_cast<uint64_t>(at)};
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

// Calls f.operator()<Item>() with the item that suits type T in rows of n.
template <class T, class F>
void WithItems(int64_t n, F&& f) {
  if constexpr (kPacked<typename SortKey<T>::Key>) {
    if (n <= INT32_MAX) return f.template operator()<uint64_t>();
  }
  f.template operator()<KeyAt>();
}

// All places of a row in order.
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

// Brings the k least of n items to the front.
template <class Item>
[[gnu::noinline]] void Split(Item* items, int64_t k, int64_t n) {
  std::nth_element(items, items + k, items + n);
}

// Sorts k items that are in no order, by key and place.
inline uint64_t* SortSome(uint64_t* items, uint64_t* other, int64_t k,
                          WorkerPool* pool, uint64_t* counts) {
  return RadixSort(items, other, k, 0, 64, pool, counts);
}
inline KeyAt* SortSome(KeyAt* items, KeyAt*, int64_t k, WorkerPool*,
                       uint64_t*) {
  std::sort(items, items + k);
  return items;
}

// The k first of a long row, k small: elements that beat the last of the k
// found so far are rare, so whole blocks are passed over.
constexpr int64_t kSmallTop = 24;
constexpr int64_t kKeyBlock = 128;

template <class T>
void SmallTop(const T* x, int64_t n, bool descending, int64_t k,
              int64_t* index) {
  using Key = typename SortKey<T>::Key;
  Key best[kSmallTop], keys[kKeyBlock];
  int64_t found = 0;
  for (int64_t begin = 0; begin < n; begin += kKeyBlock) {
    int64_t m = std::min(kKeyBlock, n - begin);
    MakeKeys<T, false>(x + begin, m, descending, keys);
    constexpr int64_t kStep = 16;
    for (int64_t b = 0; b < m; b += kStep) {
      int64_t e = std::min(b + kStep, m);
      if (found == k && e == b + kStep) {
        Key last = best[k - 1];
        Key any = 0;
        for (int64_t i = 0; i < kStep; ++i) {
          any |= static_cast<Key>(keys[b + i] < last);
        }
        if (!any) continue;
      }
      for (int64_t i = b; i < e; ++i) {
        // Equal keys do not pass: the earlier element stays.
        if (found == k && keys[i] >= best[k - 1]) continue;
        int64_t at = found < k ? found++ : k - 1;
        for (; at > 0 && best[at - 1] > keys[i]; --at) {
          best[at] = best[at - 1];
          index[at] = index[at - 1];
        }
        best[at] = keys[i];
        index[at] = begin + i;
      }
    }
  }
}

// The same for more: elements that may be among the k are collected until there
// are twice as many, then the worse half is dropped.
template <class T, class Item>
void CollectTop(const T* x, int64_t n, bool descending, int64_t k,
                Item* items) {
  using Key = typename SortKey<T>::Key;
  Key keys[kKeyBlock];
  Key last = static_cast<Key>(~Key{0});
  bool full = false;
  int64_t found = 0;
  for (int64_t begin = 0; begin < n; begin += kKeyBlock) {
    int64_t m = std::min(kKeyBlock, n - begin);
    MakeKeys<T, false>(x + begin, m, descending, keys);
    if (full) {
      Key any = 0;
      for (int64_t i = 0; i < m; ++i) any |= static_cast<Key>(keys[i] < last);
      if (!any) continue;
    }
    for (int64_t i = 0; i < m; ++i) {
      // Written and only kept when it counts.
      items[found] = MakeItem<Item>(keys[i], begin + i);
      found += !full || keys[i] < last;
    }
    if (found >= 2 * k) {
      Split(items, k - 1, found);
      last = KeyOf<Key>(items[k - 1]);
      full = true;
      found = k;
    }
  }
  if (found > k) Split(items, k, found);
}

template <class T>
void Top(const T* x, int64_t n, bool descending, int64_t k, bool sorted,
         int64_t* index, void* scratch, WorkerPool* pool, uint64_t* counts) {
  if (k <= kSmallTop && k * 8 <= n) {
    return SmallTop(x, n, descending, k, index);
  }
  WithItems<T>(n, [&]<class Item>() {
    auto* items = static_cast<Item*>(scratch);
    if (k * 4 >= n && (sorted || k == n)) {
      items = SortedItems<T, Item>(x, n, descending, scratch, pool, counts);
    } else {
      // Twice k and a block: there is room for n.
      if (4 * k + 2 * kKeyBlock <= n) {
        CollectTop(x, n, descending, k, items);
      } else {
        MakeItems(x, 0, n, descending, items);
        Split(items, k, n);
      }
      if (sorted) {
        items = SortSome(items, items + n, k, pool, counts);
      }
    }
    for (int64_t i = 0; i < k; ++i) index[i] = PlaceOf(items[i]);
  });
}

}  // namespace

int64_t SortBytes(const SortRows& job) {
  if (job.rows == 0 || job.n == 0) return 0;
  return AlignUp(radix::kCountBytes, 64) + Lanes(job) * LaneBytes(job);
}

void Sort(const SortRows& job, const void* x, void* y, void* scratch,
          WorkerPool* pool) {
  DispatchSortable(job.dtype, [&]<class T>() {
    using Key = typename SortKey<T>::Key;
    ForEachRow(
        job, scratch, pool, [&](int64_t r, void* lane, uint64_t* counts) {
          auto* keys = static_cast<Key*>(lane);
          const T* from = static_cast<const T*>(x) + r * job.n;
          InChunks(pool, counts, job.n, [&](int64_t begin, int64_t end) {
            MakeKeys<T, true>(from + begin, end - begin, job.descending,
                              keys + begin);
          });
          keys = RadixSort(keys, keys + job.n, job.n, 0, SortKey<T>::kBits,
                           pool, counts);
          auto flip = static_cast<Key>(job.descending ? ~Key{0} : Key{0});
          T* to = static_cast<T*>(y) + r * job.n;
          InChunks(pool, counts, job.n, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              to[i] = SortKey<T>::From(static_cast<Key>(keys[i] ^ flip));
            }
          });
        });
  });
}

void ArgSort(const SortRows& job, const void* x, int64_t* index, void* scratch,
             WorkerPool* pool) {
  DispatchSortable(job.dtype, [&]<class T>() {
    ForEachRow(
        job, scratch, pool, [&](int64_t r, void* lane, uint64_t* counts) {
          const T* row = static_cast<const T*>(x) + r * job.n;
          WithItems<T>(job.n, [&]<class Item>() {
            Item* items = SortedItems<T, Item>(row, job.n, job.descending, lane,
                                               pool, counts);
            int64_t* to = index + r * job.n;
            InChunks(pool, counts, job.n, [&](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i) to[i] = PlaceOf(items[i]);
            });
          });
        });
  });
}

void SelectTop(const SortRows& job, int64_t k, bool sorted, const void* x,
               void* values, int64_t* index, void* scratch, WorkerPool* pool) {
  if (k == 0) return;
  DispatchSortable(job.dtype, [&]<class T>() {
    ForEachRow(
        job, scratch, pool, [&](int64_t r, void* lane, uint64_t* counts) {
          const T* row = static_cast<const T*>(x) + r * job.n;
          int64_t* at = index + r * k;
          Top(row, job.n, job.descending, k, sorted, at, lane, pool, counts);
          T* to = static_cast<T*>(values) + r * k;
          for (int64_t i = 0; i < k; ++i) to[i] = row[at[i]];
        });
  });
}

}  // namespace sluice
