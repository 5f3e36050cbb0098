// Losses: a formula of prediction and target for every element, then no
// reduction, the mean or the sum, by attribute "reduction". Elements are summed
// in lanes, blocks and chunks, in an order that depends only on their number.
// Stateless; any thread.
//
//   struct MseFn {
//     template <class C>
//     static C Apply(C x, C t, C) { return (x - t) * (x - t); }
//   };
//   ... .shape(loss_shape).cpu(loss_kernel<MseFn>)
//
// The third argument is the attribute named by F::kAttr, if there is one.
#pragma once

#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/lanes.h"
#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

// Inputs of equal shape; output 0 has the same shape, or is a scalar if
// reduced.
Status loss_shape(ShapeContext& c);

namespace loss {

inline constexpr int64_t kBlock = 1024;
inline constexpr int64_t kChunk = 16 * kBlock;
inline constexpr int64_t kMaxChunks = 64;

template <class F, class T>
struct Each {
  using C = Compute<T>;
  static void Run(const T* x, const T* t, int64_t n, C number, T* y) {
    SL_VECTORIZE_BY(2)
    for (int64_t i = 0; i < n; ++i) {
      y[i] = static_cast<T>(
          F::Apply(static_cast<C>(x[i]), static_cast<C>(t[i]), number));
    }
  }
};

template <class F, class T>
struct Sum {
  using C = Compute<T>;
  static double Run(const T* x, const T* t, int64_t n, C number) {
    using L = Lanes<C>;
    double total = 0;
    for (int64_t b = 0; b < n; b += kBlock) {
      int64_t m = std::min(kBlock, n - b);
      C each[kBlock];
      SL_VECTORIZE_BY(2)
      for (int64_t i = 0; i < m; ++i) {
        each[i] = F::Apply(static_cast<C>(x[b + i]), static_cast<C>(t[b + i]),
                           number);
      }
      L sum = L::Of(0);
      int64_t i = 0;
      for (; i + L::kCount <= m; i += L::kCount) sum = sum + L::Load(each + i);
      if (i < m) sum = sum + L::LoadSome(each + i, m - i, C(0));
      total += static_cast<double>(sum.Sum());
    }
    return total;
  }
};

// The sum of sum(begin, end) over chunks of [0, n).
template <class F>
double SumChunks(WorkerPool* pool, int64_t n, F sum) {
  int64_t chunk = std::max(kChunk, (n + kMaxChunks - 1) / kMaxChunks);
  double parts[kMaxChunks] = {};
  ParallelFor(pool, n, chunk, [&](int64_t begin, int64_t end) {
    parts[begin / chunk] = sum(begin, end);
  });
  double total = 0;
  for (double p : parts) total += p;
  return total;
}

}  // namespace loss

template <class F>
Status loss_kernel(KernelContext& ctx) {
  const std::string& reduction = ctx.attr<std::string>("reduction");
  const Array& x = ctx.in(0);
  int64_t n = x.num_elements();
  WorkerPool* pool = ctx.step().pool;
  DispatchFloats(x.dtype(), [&]<class T>() {
    using C = Compute<T>;
    const T *a = x.data<T>(), *b = ctx.in(1).data<T>();
    T* y = ctx.out(0).mutable_data<T>();
    C number = 0;
    if constexpr (requires { F::kAttr; }) {
      number = static_cast<C>(ctx.attr<double>(F::kAttr));
    }
    if (reduction == "none") {
      ParallelFor(pool, n, loss::kChunk, [&](int64_t begin, int64_t end) {
        isa::Call<loss::Each<F, T>>(a + begin, b + begin, end - begin, number,
                                    y + begin);
      });
      return;
    }
    double sum =
        loss::SumChunks(pool, n, [&](int64_t begin, int64_t end) -> double {
          return isa::Call<loss::Sum<F, T>>(a + begin, b + begin, end - begin,
                                            number);
        });
    if (reduction == "mean") sum /= static_cast<double>(n);
    if (reduction == "batchmean") sum /= static_cast<double>(x.dim(0));
    *y = static_cast<T>(static_cast<C>(sum));
  });
  return OkStatus();
}

}  // namespace sluice
