// ExpectGradientsAgree: gradients of a function, to second order, in all the
// ways there are to compute them.
#pragma once

#include <functional>
#include <vector>

#include "sluice/front/front_test_util.h"

namespace sluice {

using Tensors = std::vector<Tensor>;
using Function1 = std::function<Tensor(const Tensors&)>;

struct AgreeOptions {
  bool second_order = true;
  double tolerance = 1e-5;
};

// Gradients of f's sum with respect to all f32 arguments, and those of the sum
// of their squares, computed imperatively, in a graph by each executor and
// through a captured function; all agree.
void ExpectGradientsAgree(const Function1& f, const std::vector<Array>& args,
                          const AgreeOptions& options = {});

}  // namespace sluice
