#include "sluice/kernels/cpu/labels.h"

#include <atomic>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/op/record.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

Status CheckLabels(const KernelContext& ctx, int i, int64_t classes,
                   const int64_t* ignored) {
  const Array& labels = ctx.in(i);
  int64_t n = labels.num_elements();
  std::atomic<int64_t> bad{n};  // the first, whatever the threads do
  DispatchIndex(labels.dtype(), [&]<class I>() {
    const I* at = labels.data<I>();
    ParallelFor(ctx.step().pool, n, 1 << 16, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        int64_t label = at[k];
        if ((label >= 0 && label < classes) || (ignored && label == *ignored)) {
          continue;
        }
        int64_t first = bad.load(std::memory_order_relaxed);
        while (k < first && !bad.compare_exchange_weak(first, k)) {
        }
        return;
      }
    });
  });
  int64_t k = bad.load();
  if (k == n) return OkStatus();
  return ctx.Error(StrCat(ctx.op().InputName(i), "[", k, "] is ",
                          LabelAt(labels, k), "; wanted 0 <= label < ", classes,
                          ignored ? StrCat(" or ", *ignored) : ""));
}

int64_t LabelAt(const Array& labels, int64_t k) {
  return labels.dtype() == DType::kI64 ? labels.data<int64_t>()[k]
                                       : int64_t{labels.data<int32_t>()[k]};
}

}  // namespace sluice
