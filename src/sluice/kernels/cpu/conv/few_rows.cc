#include "sluice/kernels/cpu/conv/few_rows.h"

#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/conv/lanes.h"
#include "sluice/kernels/cpu/isa.h"

namespace sluice {

namespace {

// V vectors of adjacent outputs of R rows, of which `n` elements are needed. U
// sums of every U-th product each: a machine that starts four additions per
// cycle, each with a latency of four cycles, needs about sixteen vectors in
// flight.
template <class C, int R, int V>
SL_INLINE void Sums(const C* from, const int64_t* offsets, const C* w,
                    int64_t depth, C* to, int64_t row_stride, int64_t n) {
  using Lanes = conv::Lanes<C>;
  constexpr int U = R * V >= 12 ? 1 : R * V >= 6 ? 2 : 4;
  Lanes sum[U][R][V];
  auto add = [&](int u, const C* x) {
#pragma GCC unroll 8
    for (int i = 0; i < V; ++i) {
      Lanes lanes;
      lanes.Load(x + i * Lanes::kCount);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) sum[u][r][i].AddProduct(w[r], lanes);
    }
    w += R;
  };
  int64_t p = 0;
  for (; p + U <= depth; p += U) {
#pragma GCC unroll 4
    for (int u = 0; u < U; ++u) add(u, from + offsets[p + u]);
  }
  for (; p < depth; ++p) add(0, from + offsets[p]);
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
    C* y = to + r * row_stride;
#pragma GCC unroll 8
    for (int i = 0; i < V; ++i, y += Lanes::kCount) {
#pragma GCC unroll 4
      for (int u = 1; u < U; ++u) sum[0][r][i].v += sum[u][r][i].v;
      int64_t left = n - i * Lanes::kCount;
      if (left >= Lanes::kCount) {
        sum[0][r][i].Store(y);
        continue;
      }
      // One by one: a call of memcpy would cost more.
#pragma GCC unroll 4
      for (int k = 0; k < Lanes::kCount; ++k) {
        if (k < left) y[k] = sum[0][r][i].v[k];
      }
    }
  }
}

// A line of outputs along the last axis.
template <class C, int R>
struct LineLoop {
  static SL_INLINE void Run(const C* from, const int64_t* offsets, const C* w,
                            int64_t depth, C* to, int64_t row_stride,
                            int64_t n) {
    constexpr int kVectors = 4, kWide = kVectors * conv::Lanes<C>::kCount;
    static_assert(kWide <= kReadBeyond);
    int64_t i = 0;
    for (; n - i > kWide / 2; i += kWide) {
      Sums<C, R, kVectors>(from + i, offsets, w, depth, to + i, row_stride,
                           std::min<int64_t>(kWide, n - i));
    }
    if (i < n) {
      Sums<C, R, kVectors / 2>(from + i, offsets, w, depth, to + i, row_stride,
                               n - i);
    }
  }
};

template <class C, int R>
auto PickLine() {
  return isa::Pick<LineLoop<C, R>, const C*, const int64_t*, const C*, int64_t,
                   C*, int64_t, int64_t>();
}

}  // namespace

template <class T>
void FewRows<T>::Run(WorkerPool* pool) const {
  auto line = c.rows == 1   ? PickLine<C, 1>()
              : c.rows == 2 ? PickLine<C, 2>()
              : c.rows == 3 ? PickLine<C, 3>()
                            : PickLine<C, 4>();
  int64_t depth = c.depth(), pixels = c.out_pixels(), width = c.out[2];
  int64_t lines = c.out[0] * c.out[1];
  // Lines of all images and groups; a chunk is about 64K multiplications.
  int64_t work = std::max<int64_t>(c.rows * width * depth, 1);
  int64_t grain = std::max<int64_t>(1, 65536 / work);
  ParallelFor(
      pool, images * c.groups * lines, grain, [&](int64_t b, int64_t e) {
        for (int64_t i = b; i < e; ++i) {
          int64_t q1 = i % c.out[1], q0 = i / c.out[1] % c.out[0];
          int64_t group = i / lines % c.groups, image = i / lines / c.groups;
          const C* from = source + image * layout.image +
                          group * c.channels * layout.channel +
                          q0 * layout.step[0] + q1 * layout.step[1];
          int64_t pixel = (q0 * c.out[1] + q1) * width;
          line(from, offsets, weights + group * c.rows * depth, depth,
               finished.At(image, group * c.rows, pixel), pixels, width);
          finished.Rows(image, group * c.rows, c.rows, pixel, width);
        }
      });
}

template struct FewRows<float>;
template struct FewRows<double>;
template struct FewRows<f16>;
template struct FewRows<bf16>;

}  // namespace sluice
