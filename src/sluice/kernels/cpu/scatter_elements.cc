#include "sluice/kernels/cpu/scatter.h"
#include "sluice/kernels/cpu/scatter_formulas.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

using namespace scatter_formulas;

namespace {

template <class F, class T>
void Elements(void* target, const int64_t* at, const void* updates, int64_t n) {
  using C = Compute<T>;
  T* y = static_cast<T*>(target);
  const T* u = static_cast<const T*>(updates);
  for (int64_t i = 0; i < n; ++i) {
    y[at[i]] = static_cast<T>(
        F::Apply(static_cast<C>(y[at[i]]), static_cast<C>(u[i])));
  }
}

}  // namespace

ScatterElementsFn PickScatterElements(ScatterOp op, DType dtype) {
  ScatterElementsFn fn = nullptr;
  if (op == ScatterOp::kUpdate) {
    DispatchBySize(dtype, [&]<class T>() { fn = &Elements<UpdateFn, T>; });
    return fn;
  }
  DispatchReals(dtype, [&]<class T>() {
    switch (op) {
      case ScatterOp::kAdd:
        fn = &Elements<AddFn, T>;
        break;
      case ScatterOp::kSub:
        fn = &Elements<SubFn, T>;
        break;
      case ScatterOp::kMul:
        fn = &Elements<MulFn, T>;
        break;
      case ScatterOp::kMin:
        fn = &Elements<MinFn, T>;
        break;
      default:
        fn = &Elements<MaxFn, T>;
    }
  });
  return fn;
}

}  // namespace sluice
