#include "sluice/front/value_and_grad.h"

#include "sluice/front/autograd.h"
#include "sluice/front/call.h"
#include "sluice/front/capture.h"
#include "sluice/front/grad_mode.h"

namespace sluice {

std::pair<Tensor, std::vector<Tensor>> value_and_grad(
    const std::function<Tensor(const std::vector<Tensor>&)>& f,
    const std::vector<Tensor>& xs, std::source_location where) {
  const bool recorded = front_internal::EagerMode::Current().grad;
  EnableGrad on;
  std::vector<Tensor> at;
  for (const Tensor& x : xs) {
    // What is part of a graph, or of the way to an outer gradient, must stay
    // so; of other elements a leaf is made.
    bool stays = x.symbolic() || x.requires_grad() || Capture::Current();
    at.push_back(stays ? x : x.detach().requires_grad_());
  }
  Tensor y = f(at);
  GradOptions options{
      .retain_graph = recorded, .create_graph = recorded, .dense = true};
  if (!y.symbolic()) {
    Operand operands[] = {y};
    options.grad_ys = {
        front_internal::CallOne("OnesLike", operands, {}, {}, where)};
  }
  std::vector<Tensor> slopes = gradients({y}, at, options, where);
  if (!y.symbolic() && !recorded) y = y.detach();
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
