#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/pool/pool.h"
#include "sluice/kernels/cpu/pool/windows.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

Status max_pool_pick_kernel(KernelContext& ctx) {
  const Array &x = ctx.in(0), &v = ctx.in(1), &y = ctx.out(0);
  if (y.num_elements() == 0) return OkStatus();
  PoolGeometry g = MakePoolGeometry(ctx.attrs(), x.shape(), y.shape());
  DispatchFloats(x.dtype(), [&]<class T>() {
    int64_t pixels = g.in_pixels(), results = g.out_pixels();
    ParallelFor(ctx.step().pool, g.planes,
                std::max<int64_t>(1, 16384 / (pixels + results)),
                [&](int64_t begin, int64_t end) {
                  for (int64_t p = begin; p < end; ++p) {
                    const T *plane = x.data<T>() + p * pixels,
                            *from = v.data<T>() + p * pixels;
                    T* to = ctx.out(0).mutable_data<T>() + p * results;
                    ForEachWindow(
                        g, [&](int64_t at, const PoolWindow& w0,
                               const PoolWindow& w1, const PoolWindow& w2) {
                          int64_t best = Greatest(g, plane, w0, w1, w2);
                          to[at] = best < 0 ? T(0) : from[best];
                        });
                  }
                });
  });
  return OkStatus();
}

}  // namespace sluice
