#include <gtest/gtest.h>
#include <sluice/sluice.h>

#include <cmath>

#include "sluice/nn/known_values_test_util.h"

namespace sluice::nn {

namespace {

void Near(double got, double wanted, const std::string& what) {
  EXPECT_NEAR(got, wanted, 2e-5 * std::max(1.0, std::abs(wanted))) << what;
}

void CheckResult(const KnownValues& known, const Tensor& y) {
  std::vector<float> all = y.to_vector<float>();
  ASSERT_EQ(known.first.size(), std::min<size_t>(6, all.size())) << known.name;
  for (size_t i = 0; i < known.first.size(); ++i) {
    Near(all[i], known.first[i], known.name + " element " + std::to_string(i));
  }
  Near(WeightedSum(y), known.sum, known.name + " sum");
}

}  // namespace

void CheckKnownCall(const std::string& name, Module& module,
                    const Inputs& inputs,
                    const std::function<Tensor(const Inputs&)>& call,
                    bool recorded) {
  const KnownValues& known = KnownValuesOf(name);
  SetKnownParameters(module);
  Inputs leaves;
  for (const Tensor& x : inputs) {
    leaves.push_back(x);
    if (x.dtype() != DType::kF32) continue;
    x.requires_grad_();
    x.set_grad(Tensor());
  }
  for (const Tensor& p : module.parameters()) p.set_grad(Tensor());
  Tensor y = call(leaves);
  CheckResult(known, y);
  Tensor flow = KnownInput(y.shape().ToShape(), 3);
  sum(y * flow).backward();
  std::vector<Tensor> grads;
  for (const Tensor& x : inputs) {
    if (x.requires_grad()) grads.push_back(x.grad());
  }
  size_t of_inputs = grads.size();
  for (const Tensor& p : module.parameters()) grads.push_back(p.grad());
  ASSERT_EQ(grads.size(), known.gradients.size()) << name;
  for (size_t i = 0; i < grads.size(); ++i) {
    std::string what = name + " gradient " + std::to_string(i);
    ASSERT_TRUE(grads[i].defined()) << what;
    Near(WeightedSum(grads[i]), known.gradients[i], what);
  }

  if (!recorded) return;
  // The same as a plan.
  SetKnownParameters(module);
  for (const Tensor& p : module.parameters()) p.set_grad(Tensor());
  auto step = [&](const Inputs& in) {
    Tensor result = call(in);
    if (!module.parameters().empty()) sum(result * flow).backward();
    return result;
  };
  Tensor again;
  if (inputs.size() == 1) {
    again = function([&](Tensor a) { return step({a}); })(inputs[0]);
  } else if (inputs.size() == 2) {
    again = function([&](Tensor a, Tensor b) { return step({a, b}); })(
        inputs[0], inputs[1]);
  } else {
    again = function([&](Tensor a, Tensor b, Tensor c) {
      return step({a, b, c});
    })(inputs[0], inputs[1], inputs[2]);
  }
  CheckResult(known, again);
  size_t next = of_inputs;
  for (const Tensor& p : module.parameters()) {
    ASSERT_TRUE(p.grad().defined()) << name;
    Near(WeightedSum(p.grad()), known.gradients[next],
         name + " recorded gradient " + std::to_string(next));
    ++next;
  }
}

}  // namespace sluice::nn
