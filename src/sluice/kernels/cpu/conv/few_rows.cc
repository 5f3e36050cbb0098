#include "sluice/kernels/cpu/conv/few_rows.h"

#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/cpu/mul_add.h"

namespace sluice {

namespace {

// N neighbouring outputs of R rows, of which `n` are wanted.
template <class C, int R, int N>
SL_INLINE void Sums(const C* from, const int64_t* offsets, const C* w,
                    int64_t depth, C* to, int64_t row_stride, int64_t n) {
  C sum[R][N] = {};
  for (int64_t p = 0; p < depth; ++p, w += R) {
    const C* x = from + offsets[p];
    for (int r = 0; r < R; ++r) {
      for (int i = 0; i < N; ++i) sum[r][i] = MulAdd(w[r], x[i], sum[r][i]);
    }
  }
  for (int r = 0; r < R; ++r) {
    C* y = to + r * row_stride;
    if (n == N) {
      for (int i = 0; i < N; ++i) y[i] = sum[r][i];
    } else {
      for (int64_t i = 0; i < n; ++i) y[i] = sum[r][i];
    }
  }
}

// A line of outputs along the last axis.
template <class C, int R>
struct LineLoop {
  static SL_INLINE void Run(const C* from, const int64_t* offsets, const C* w,
                            int64_t depth, C* to, int64_t row_stride,
                            int64_t n) {
    constexpr int kWide = kReadBeyond;
    int64_t i = 0;
    for (; n - i > kWide / 2; i += kWide) {
      Sums<C, R, kWide>(from + i, offsets, w, depth, to + i, row_stride,
                        std::min<int64_t>(kWide, n - i));
    }
    if (i < n) {
      Sums<C, R, kWide / 2>(from + i, offsets, w, depth, to + i, row_stride,
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
