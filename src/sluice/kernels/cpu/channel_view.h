// An array viewed as samples x channels x the rest, and the order in which
// batch normalization processes it. Plain values; any thread.
#pragma once

#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/tensor/array.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

// Elements that are worth a task.
inline constexpr int64_t kChannelGrain = 1 << 14;
// A channel of this many bytes is still in the second-level cache when it is
// written.
inline constexpr int64_t kChannelCache = 512 << 10;

struct ChannelView {
  int64_t n = 1, c = 1, s = 1;
  explicit ChannelView(const Shape& shape) : n(shape.dim(0)), c(shape.dim(1)) {
    for (int i = 2; i < shape.rank(); ++i) s *= shape.dim(i);
  }
  int64_t count() const { return n * s; }  // elements of one channel
  bool empty() const { return n == 0 || c == 0 || s == 0; }
  // Shorter runs are processed by loops over columns.
  bool runs() const { return s >= 16; }
  // Samples that one task sums over.
  int64_t samples_per_chunk() const { return kChannelGrain / s + 1; }
  int64_t chunks() const {
    return (n + samples_per_chunk() - 1) / samples_per_chunk();
  }
};

// Calls sums(channel, chunk) for all, then channel(c), then write(channel, k)
// for every sample k; channel by channel if that avoids reading memory twice.
template <class Sums, class Channel, class Write>
void ForChannels(WorkerPool* pool, const ChannelView& v, int64_t bytes,
                 Sums sums, Channel channel, Write write) {
  if (v.count() * bytes <= kChannelCache) {
    int64_t grain = std::max<int64_t>(1, kChannelGrain / v.count());
    ParallelFor(pool, v.c, grain, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        for (int64_t k = 0; k < v.chunks(); ++k) sums(c, k);
        channel(c);
        for (int64_t k = 0; k < v.n; ++k) write(c, k);
      }
    });
    return;
  }
  ParallelFor(pool, v.c * v.chunks(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) sums(t / v.chunks(), t % v.chunks());
  });
  for (int64_t c = 0; c < v.c; ++c) channel(c);
  ParallelFor(pool, v.n * v.c, kChannelGrain / v.s + 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t t = begin; t < end; ++t) write(t % v.c, t / v.c);
              });
}

// Element i of an array of floats of any type.
inline double Number(const Array& a, int64_t i) {
  double v = 0;
  DispatchFloats(a.dtype(), [&]<class T>() {
    v = static_cast<double>(static_cast<Compute<T>>(a.data<T>()[i]));
  });
  return v;
}

}  // namespace sluice
