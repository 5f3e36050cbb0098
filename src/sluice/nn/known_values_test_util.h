// What PyTorch's layers compute for parameters and inputs that are easily made,
// in f64: the first elements of the result, a weighted sum of all of them, and
// weighted sums of the gradients of inputs and parameters.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sluice/nn/nn.h"

namespace sluice::nn {

struct KnownValues {
  std::string name;
  std::vector<double> first;  // six at most
  double sum;
  std::vector<double> gradients;
};

const KnownValues& KnownValuesOf(const std::string& name);

// The numbers they were computed from.
Tensor KnownInput(const Sizes& shape, int k = 0);
void SetKnownParameters(const Module& module);
// sum_i ((3 i) mod 7 - 3) x_i
double WeightedSum(const Tensor& x);

using Inputs = std::vector<Tensor>;
// The module with those parameters computes what is known by that name, and so
// do the gradients, imperatively and in a recorded function.
void CheckKnownCall(const std::string& name, Module& module,
                    const Inputs& inputs,
                    const std::function<Tensor(const Inputs&)>& call,
                    bool recorded = true);

template <class M, class... Args>
void CheckLayer(const std::string& name, const Tensor& x, Args&&... args) {
  M module(std::forward<Args>(args)...);
  CheckKnownCall(name, module, {x},
                 [&](const Inputs& in) { return module(in[0]); });
}

}  // namespace sluice::nn
