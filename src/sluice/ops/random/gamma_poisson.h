// Shared by RandomGamma and RandomPoisson: one random number per element of a
// parameter, each from a separate stream.
#pragma once

#include <atomic>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/element_stream.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/random_int.h"
#include "sluice/ops/random/random_op.h"
#include "sluice/tensor/dispatch.h"

namespace sluice::random_op {

// y[i] = draw(x[i], word i of the key's stream, stream of i) where good(x[i]);
// the first x[i] that is not good gives the error "[Op] x[i] is -1; wanted
// ...".
template <class Good, class Draw>
Status DrawEach(KernelContext& ctx, const Good& good, const Draw& draw,
                std::string_view wanted) {
  RandomKey key = KeyOf(ctx);
  const Array &x = ctx.in(0), &y = ctx.out(0);
  int64_t n = x.num_elements();
  std::atomic<int64_t> bad{n};
  double value = 0;
  DispatchFloats(x.dtype(), [&]<class T>() {
    using C = Compute<T>;
    const T* from = x.data<T>();
    T* to = y.mutable_data<T>();
    ParallelFor(ctx.step().pool, n, 512, [&](int64_t begin, int64_t end) {
      int64_t wrong = n;
      ForEachWord(key, begin, end, [&](int64_t i, uint32_t word) {
        auto v = static_cast<double>(static_cast<C>(from[i]));
        if (good(v)) {
          ElementStream stream(RetryKey(key), i);
          to[i] = T(static_cast<C>(draw(v, word, stream)));
        } else if (i < wrong) {
          wrong = i;
        }
      });
      int64_t before = bad.load(std::memory_order_relaxed);
      while (wrong < before && !bad.compare_exchange_weak(before, wrong)) {
      }
    });
    if (int64_t at = bad.load(); at < n) {
      value = static_cast<double>(static_cast<C>(from[at]));
    }
  });
  int64_t at = bad.load();
  if (at == n) return OkStatus();
  return ctx.Error(StrCat(ctx.op().InputName(0), "[", at, "] is ", value,
                          "; wanted ", wanted));
}

}  // namespace sluice::random_op
