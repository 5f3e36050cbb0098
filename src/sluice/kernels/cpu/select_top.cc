#include <algorithm>

#include "sluice/kernels/cpu/sort.h"
#include "sluice/kernels/cpu/sort_rows.h"

namespace sluice {

using namespace sort_rows;

namespace {

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
      // Stored, but only kept if it counts.
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
      // Twice k and a block fit into n.
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
