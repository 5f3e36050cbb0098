// Gradients of functions of f64, to second order: by graphs, captured functions
// and the imperative run, equal to each other and to finite differences.
#pragma once

#include "sluice/front/every_way_test_util.h"

namespace sluice {

using Tensors = std::vector<Tensor>;
using Function1 = std::function<Tensor(const Tensors&)>;

// Gradients of f's sum for all arguments of f64, and those of the sum of their
// squares.
void ExpectGradients(const Function1& f, const std::vector<Array>& args);
// The first of them in every way there is, equal to the bit.
void ExpectEveryWay(const Function1& f, const std::vector<Array>& args);

}  // namespace sluice
