#include "sluice/kernels/cpu/sort.h"

#include "sluice/kernels/cpu/sort_rows.h"

namespace sluice {

using namespace sort_rows;

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

}  // namespace sluice
