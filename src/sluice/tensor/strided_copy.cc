// CopyRegion: see strided.h. The region is first reduced to as few axes as its
// strides allow; the remaining axes determine how it is copied.
#include <algorithm>
#include <cstring>
#include <string>

#include "sluice/base/worker_pool.h"
#include "sluice/tensor/copy_bytes.h"
#include "sluice/tensor/dispatch.h"
#include "sluice/tensor/strided.h"
#include "sluice/tensor/transpose_tile.h"

namespace sluice {

namespace {

// The bytes of one task: few enough to share the work between threads, enough
// to pay for the hand-over.
constexpr int64_t kTaskBytes = 128 << 10;

struct Axis {
  int64_t size = 1, from = 0, to = 0;  // steps in elements
};

struct Region {
  int rank = 0;
  Axis axis[kMaxRank];

  Region(const Shape& shape, const Strides& from, const Strides& to) {
    for (int i = 0; i < shape.rank(); ++i) {
      auto k = static_cast<size_t>(i);
      int64_t n = shape.dim(i);
      if (n == 1) continue;
      if (rank > 0 && axis[rank - 1].from == from[k] * n &&
          axis[rank - 1].to == to[k] * n) {
        axis[rank - 1] = {axis[rank - 1].size * n, from[k], to[k]};
      } else {
        axis[rank++] = {n, from[k], to[k]};
      }
    }
    if (rank == 0) rank = 1;
  }
  const Axis& last() const { return axis[rank - 1]; }
  void Remove(int i) {
    for (--rank; i < rank; ++i) axis[i] = axis[i + 1];
  }
};

// The offsets of item i of the first `rank` axes in row-major order.
struct Place {
  int64_t index[kMaxRank] = {}, from = 0, to = 0;

  Place(const Region& r, int rank, int64_t i) {
    for (int a = rank - 1; a >= 0; --a) {
      index[a] = i % r.axis[a].size;
      i /= r.axis[a].size;
      from += index[a] * r.axis[a].from;
      to += index[a] * r.axis[a].to;
    }
  }
  // Advances by `count` items, not beyond the end of the last of the axes.
  void Advance(const Region& r, int rank, int64_t count) {
    for (int a = rank - 1; a >= 0; --a, count = 1) {
      const Axis& axis = r.axis[a];
      index[a] += count;
      from += count * axis.from;
      to += count * axis.to;
      if (index[a] < axis.size) return;
      index[a] = 0;
      from -= axis.size * axis.from;
      to -= axis.size * axis.to;
    }
  }
};

template <class T>
inline void CopyRun(const T* x, int64_t xs, T* y, int64_t ys, int64_t n) {
  if constexpr (!std::is_trivially_copyable_v<T>) {
    for (int64_t i = 0; i < n; ++i) y[i * ys] = x[i * xs];
  } else if (xs == 1 && ys == 1) {
    CopyBytes(reinterpret_cast<char*>(y), reinterpret_cast<const char*>(x),
              n * static_cast<int64_t>(sizeof(T)));
  } else if (xs == 0 && ys == 1) {
    std::fill_n(y, n, *x);
  } else if (xs == -1 && ys == 1) {
    for (int64_t i = 0; i < n; ++i) y[i] = x[-i];
  } else if (xs == 2 && ys == 1) {
    for (int64_t i = 0; i < n; ++i) y[i] = x[2 * i];
  } else if (xs == 1 && ys == 2) {
    for (int64_t i = 0; i < n; ++i) y[2 * i] = x[i];
  } else {
    for (int64_t i = 0; i < n; ++i) y[i * ys] = x[i * xs];
  }
}

// Prefetches the beginning of a run that the hardware prefetcher would miss.
template <class T>
inline void Announce(const T* x, int64_t step) {
  auto* at = reinterpret_cast<const char*>(x);
  for (int64_t b = 0; b < 256; b += 64) {
    __builtin_prefetch(step < 0 ? at - b : at + b);
  }
}

// Copies run after run of the last axis; runs longer than a task are cut.
template <class T>
void CopyRuns(const Region& r, const T* x, T* y, WorkerPool* pool) {
  constexpr int64_t kTask = kTaskBytes / static_cast<int64_t>(sizeof(T));
  const Axis run = r.last();
  int outer = r.rank - 1;
  int64_t rows = 1;
  for (int a = 0; a < outer; ++a) rows *= r.axis[a].size;
  if (run.size > kTask) {
    int64_t pieces = (run.size + kTask - 1) / kTask;
    ParallelFor(pool, rows * pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Place at(r, outer, i / pieces);
        int64_t first = i % pieces * kTask;
        CopyRun(x + at.from + first * run.from, run.from,
                y + at.to + first * run.to, run.to,
                std::min(kTask, run.size - first));
      }
    });
    return;
  }
  bool far = (run.from == 1 || run.from == -1) &&
             run.size * static_cast<int64_t>(sizeof(T)) >= 512;
  ParallelFor(pool, rows, std::max<int64_t>(1, kTask / run.size),
              [&](int64_t begin, int64_t end) {
                Place at(r, outer, begin);
                // The second axis from the end is walked without computing a
                // Place.
                Axis next = outer > 0 ? r.axis[outer - 1] : Axis();
                for (int64_t i = begin; i < end;) {
                  int64_t n = std::min(
                      end - i,
                      next.size - (outer > 0 ? at.index[outer - 1] : 0));
                  const T* from = x + at.from;
                  T* to = y + at.to;
                  for (int64_t k = 0; k < n; ++k) {
                    if (far && k + 1 < n)
                      Announce(from + (k + 1) * next.from, run.from);
                    CopyRun(from + k * next.from, run.from, to + k * next.to,
                            run.to, run.size);
                  }
                  at.Advance(r, outer, n);
                  i += n;
                }
              });
}

// Axis `k` is dense in the source, the last one in the target.
template <class T>
void CopyTransposed(const Region& region, int k, const T* x, T* y,
                    WorkerPool* pool) {
  constexpr int64_t kSquare = 256 / sizeof(T);
  Axis down = region.axis[k], across = region.last();
  Region rest = region;
  rest.Remove(region.rank - 1);
  rest.Remove(k);
  int64_t outer = 1;
  for (int a = 0; a < rest.rank; ++a) outer *= rest.axis[a].size;
  int64_t columns = std::clamp<int64_t>(kTaskBytes / 256, 1, across.size);
  // Tiles with few columns are made longer, so that each has enough work.
  int64_t rows_each = std::max<int64_t>(kSquare, kSquare * 16 / columns);
  int64_t high = (down.size + rows_each - 1) / rows_each;
  int64_t wide = (across.size + columns - 1) / columns;
  int64_t tile = std::min(rows_each, down.size) * columns *
                 static_cast<int64_t>(sizeof(T));
  ParallelFor(
      pool, outer * high * wide, std::max<int64_t>(1, kTaskBytes / tile),
      [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; ++t) {
          Place at(rest, rest.rank, t / (high * wide));
          int64_t i = t / wide % high * rows_each, j = t % wide * columns;
          TransposeTile<T>(x + at.from + j * across.from + i, across.from,
                           y + at.to + i * down.to + j, down.to,
                           std::min(rows_each, down.size - i),
                           std::min(columns, across.size - j));
        }
      });
}

template <class T>
void Copy(const Region& r, const void* from, void* to, WorkerPool* pool) {
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(to);
  if constexpr (std::is_trivially_copyable_v<T>) {
    const Axis& last = r.last();
    if (last.from != 0 && last.from != 1 && last.to == 1) {
      for (int k = 0; k + 1 < r.rank; ++k) {
        // A few rows or columns are only worth it if they are dense.
        bool wide = last.size >= 4 && r.axis[k].size >= 4;
        bool dense = r.axis[k].size == last.from || last.size == r.axis[k].to;
        if (r.axis[k].from == 1 && (wide || dense)) {
          return CopyTransposed(r, k, x, y, pool);
        }
      }
    }
  }
  CopyRuns(r, x, y, pool);
}

}  // namespace

void CopyRegion(DType dtype, const Shape& shape, const void* from,
                const Strides& from_strides, void* to,
                const Strides& to_strides, WorkerPool* pool) {
  if (shape.num_elements() == 0) return;
  Region region(shape, from_strides, to_strides);
  if (DispatchBySize(dtype,
                     [&]<class T>() { Copy<T>(region, from, to, pool); })) {
    return;
  }
  if (dtype == DType::kString) Copy<std::string>(region, from, to, pool);
  if (IsReference(dtype)) {
    Copy<Ref<ResourceBase>>(region, from, to, pool);
  }
}

}  // namespace sluice
