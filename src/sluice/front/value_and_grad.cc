#include "sluice/front/value_and_grad.h"

#include "sluice/eager/call.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/recompute.h"
#include "sluice/front/autograd.h"
#include "sluice/front/own_points.h"

namespace sluice {

std::pair<Tensor, std::vector<Tensor>> value_and_grad(
    const std::function<Tensor(const std::vector<Tensor>&)>& f,
    const std::vector<Tensor>& xs, std::source_location where) {
  const bool recorded = front_internal::EagerMode::Current().grad;
  front_internal::OwnPoints points(xs, where);
  EnableGrad on;
  RecomputeRegion::Apart apart;
  Tensor y = f(points.at);
  const bool kept = recorded && points.ReachBeyond({y});
  GradOptions options{
      .retain_graph = kept, .create_graph = kept, .dense = true};
  if (!front_internal::IsDeferred(y)) {
    Operand operands[] = {y};
    options.grad_ys = {
        front_internal::CallOne("OnesLike", operands, {}, {}, where)};
  }
  std::vector<Tensor> slopes = gradients({y}, points.at, options, where);
  points.Retire();
  if (kept) {
    slopes.push_back(std::move(y));
    points.KeepIfBeyond(slopes, {});
    y = std::move(slopes.back());
    slopes.pop_back();
  } else if (!front_internal::IsDeferred(y)) {
    y = y.detach();
  }
  return {std::move(y), std::move(slopes)};
}

std::pair<Tensor, Tensor> value_and_grad(
    const std::function<Tensor(const Tensor&)>& f, const Tensor& x,
    std::source_location where) {
  auto [y, slopes] =
      value_and_grad([&](const std::vector<Tensor>& xs) { return f(xs[0]); },
                     std::vector<Tensor>{x}, where);
  return {std::move(y), std::move(slopes[0])};
}

}  // namespace sluice
