#include "sluice/op/grad_context.h"

namespace sluice {

GradVar GradContext::dy(int i) {
  int& id = dy_[static_cast<size_t>(i)];
  if (id < 0) {
    GradVar zeros = zeros_like(out(i));
    if (!zeros) return {};
    id = IdOf(zeros);
  }
  return VarAt(id);
}

GradVar GradContext::times_dy(GradVar factor, int i) {
  GradVar flow = dy(i);
  if (!flow || !factor) return {};
  // Complex numbers have no order, and no boundary at which one branch ends.
  if (flow.dtype() == DType::kC64) return flow * factor;
  return call("MulNoNan", {flow, factor});
}

void GradContext::set_dx(int i, GradVar gradient) {
  auto k = static_cast<size_t>(i);
  if (!gradient || !wants_[k]) return;
  if (op().elementwise()) gradient = sum_to(gradient, in(i));
  if (gradient) dx_[k] = IdOf(gradient);
}

void GradContext::set_dx_rows(int i, GradVar indices, GradVar values) {
  auto k = static_cast<size_t>(i);
  if (!indices || !values || !wants_[k]) return;
  dx_rows_.resize(dx_.size(), -1);
  dx_rows_[k] = IdOf(indices);
  dx_[k] = IdOf(values);
}

}  // namespace sluice
