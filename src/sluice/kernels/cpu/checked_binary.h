// The kernel of integer ops without a result for some operands, such as
// division by zero. Such ops cannot be block functions, which never fail.
// Stateless; any thread.
//
//   struct DivInt {
//     static constexpr const char* kError = "integer division by zero";
//     template <class C> static bool Valid(C a, C b) { return b != 0; }
//     template <class C> static C Apply(C a, C b);  // only for valid operands
//   };
//   ... .elementwise(float_block).cpu(checked_int_kernel<DivInt>)
#pragma once

#include "sluice/base/strings.h"
#include "sluice/op/kernel_context.h"
#include "sluice/tensor/dispatch.h"
#include "sluice/tensor/strided.h"

namespace sluice {

template <class F>
Status checked_int_kernel(KernelContext& ctx) {
  const Array &a = ctx.in(0), &b = ctx.in(1), &out = ctx.out(0);
  StridedWalk<2> walk(out.shape(), {BroadcastStrides(a, out.shape()),
                                    BroadcastStrides(b, out.shape())});
  bool valid = true;
  auto run = [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      T* y = out.mutable_data<T>();
      walk.ForEachRun([&](const auto& offset, const auto& step, int64_t n) {
        const T* x0 = a.data<T>() + offset[0];
        const T* x1 = b.data<T>() + offset[1];
        for (int64_t i = 0; i < n; ++i) {
          T u = x0[i * step[0]], v = x1[i * step[1]];
          bool ok = F::Valid(u, v);
          valid = valid && ok;
          *y++ = ok ? F::Apply(u, v) : T(0);
        }
      });
    }
  };
  if (!DispatchReals(out.dtype(), run)) {
    return ctx.Error(StrCat("no kernel for ", DTypeName(out.dtype())));
  }
  return valid ? OkStatus() : ctx.Error(F::kError);
}

}  // namespace sluice
