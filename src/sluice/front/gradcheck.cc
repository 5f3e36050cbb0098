#include <algorithm>
#include <cmath>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/operators.h"
#include "sluice/front/autograd.h"
#include "sluice/launch/copy_between.h"

namespace sluice {

namespace {

Tensor Sum(const Tensor& x) {
  Operand operands[] = {x};
  return front_internal::CallOne("Sum", operands, {}, {},
                                 std::source_location::current());
}

// The sum of all floating-point results, weighted so that errors of one cannot
// hide behind another's.
Tensor Total(const std::vector<Tensor>& ys) {
  Tensor total;
  double weight = 1;
  for (const Tensor& y : ys) {
    if (!kFloats.contains(y.dtype())) continue;
    Tensor part = Sum(y * y) * (0.5 * weight) + Sum(y) * weight;
    total = total.defined() ? total + part : part;
    weight *= 0.7;
  }
  if (!total.defined()) {
    throw Error(InvalidArgument("gradcheck: f has no floating-point result"));
  }
  return total;
}

using ScalarFn = std::function<Tensor(const std::vector<Tensor>&)>;

void Check(const ScalarFn& f, const std::vector<Tensor>& xs,
           const GradcheckOptions& options, std::string_view what) {
  std::vector<Tensor> leaves;
  for (const Tensor& x : xs) leaves.push_back(x.clone().detach());
  for (const Tensor& x : leaves) {
    if (x.dtype() != DType::kF64) {
      throw Error(InvalidArgument(
          StrCat("gradcheck: an input is ", x.array().TypeText(),
                 "; wanted f64, or differences say nothing")));
    }
    x.requires_grad_();
  }
  std::vector<Tensor> got;
  {
    EnableGrad on;
    got = gradients({f(leaves)}, leaves,
                    {.zeros_when_unconnected = true, .dense = true});
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    // Moved on the host; a leaf on a device is told.
    const Array own = leaves[i].array();
    Array x = ValueOrThrow(OnHost(own));
    auto tell = [&] {
      if (!own.on_host()) ThrowIfError(CopyElements(x, own));
    };
    Array g = ValueOrThrow(ValueOrThrow(OnHost(got[i].array())).AsContiguous());
    for (int64_t k = 0; k < x.num_elements(); ++k) {
      double& at = x.mutable_data<double>()[k];
      double here = at, h = options.step * std::max(1.0, std::abs(here));
      auto value = [&](double moved) {
        at = moved;
        tell();
        double y = f(leaves).item<double>();
        at = here;
        tell();
        return y;
      };
      double want = (value(here + h) - value(here - h)) / (2 * h);
      double is = g.data<double>()[k];
      if (std::abs(is - want) <= options.tolerance * (1 + std::abs(want))) {
        continue;
      }
      throw Error(FailedPrecondition(StrCat(
          "gradcheck: the ", what, " with respect to element ", k, " of input ",
          i, " (", x.TypeText(), ") is ", is, ", by differences ", want)));
    }
  }
}

}  // namespace

void gradcheck(const TensorFn& f, const std::vector<Tensor>& xs,
               const GradcheckOptions& options) {
  ScalarFn total = [&](const std::vector<Tensor>& at) { return Total(f(at)); };
  Check(total, xs, options, "gradient");
  if (!options.second_order) return;
  ScalarFn slope = [&](const std::vector<Tensor>& at) {
    EnableGrad on;
    std::vector<Tensor> leaves;
    for (const Tensor& x : at) {
      leaves.push_back(x.requires_grad() ? x : x.detach().requires_grad_());
    }
    return Total(gradients(
        {Total(f(leaves))}, leaves,
        {.zeros_when_unconnected = true, .create_graph = true, .dense = true}));
  };
  GradcheckOptions coarser = options;
  coarser.tolerance *= 10;
  Check(slope, xs, coarser, "gradient of the gradient");
}

}  // namespace sluice
