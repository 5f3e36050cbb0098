#include "sluice/kernels/cpu/softmax.h"

#include "sluice/kernels/cpu/softmax_loops.h"

namespace sluice {

namespace {

template <class T>
struct LogSumExpLoop {
  static SL_INLINE Compute<T> Run(const T* x, int64_t n) {
    Compute<T> max = rows::RowMax(x, n);
    T* nowhere = nullptr;
    return max + vmath::Log(rows::ExpSum<false>(x, n, max, nowhere));
  }
};

}  // namespace

Status softmax_shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  SL_RETURN_IF_ERROR(shapes::all_same(c));
  if (c.out(0).rank_known()) {
    Result<int> axis = c.ResolveAxis(c.attr<int64_t>("axis"), c.out(0).rank());
    if (!axis.ok()) return axis.status();
  }
  return OkStatus();
}

Status softmax_kernel(KernelContext& ctx) {
  return RunAlongAxis<softmax::SoftmaxRows, softmax::SoftmaxColumns>(ctx);
}
Status log_softmax_kernel(KernelContext& ctx) {
  return RunAlongAxis<softmax::LogSoftmaxRows, softmax::LogSoftmaxColumns>(ctx);
}
Status softmax_grad_kernel(KernelContext& ctx) {
  return RunAlongAxis<softmax::SoftmaxGradRows, softmax::SoftmaxGradColumns>(
      ctx);
}
Status log_softmax_grad_kernel(KernelContext& ctx) {
  return RunAlongAxis<softmax::LogSoftmaxGradRows,
                      softmax::LogSoftmaxGradColumns>(ctx);
}

float LogSumExp(const float* row, int64_t n) {
  return isa::Call<LogSumExpLoop<float>>(row, n);
}
double LogSumExp(const double* row, int64_t n) {
  return isa::Call<LogSumExpLoop<double>>(row, n);
}
float LogSumExp(const f16* row, int64_t n) {
  return isa::Call<LogSumExpLoop<f16>>(row, n);
}
float LogSumExp(const bf16* row, int64_t n) {
  return isa::Call<LogSumExpLoop<bf16>>(row, n);
}

}  // namespace sluice
