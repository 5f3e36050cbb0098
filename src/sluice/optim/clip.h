// Gradients held within bounds before they are applied; dense and sparse ones.
//
//   loss.backward();
//   sl::Tensor norm = sl::optim::clip_grad_norm_(net.parameters(), 1.0);
//   optimizer.step();
//
// and for lists of gradients, in graphs too:
//
//   auto [clipped, norm] = sl::optim::clip_by_global_norm(gradients, 1.0);
#pragma once

#include <source_location>
#include <vector>

#include "sluice/eager/tensor.h"
#include "sluice/optim/parameters.h"

namespace sluice::optim {

// The root of the sum of squares of all elements, without axes; f32, or f64
// when one of them is. Tensors that hold nothing do not count. Throws when none
// is left.
Tensor global_norm(
    const std::vector<Tensor>& gradients,
    std::source_location where = std::source_location::current());
// The same of another order: the norm_type-th root of the sum of that power of
// all sizes; infinity: the largest size.
Tensor global_norm(
    const std::vector<Tensor>& gradients, double norm_type,
    std::source_location where = std::source_location::current());

// All gradients times max_norm / (norm + 1e-6) where their norm is larger than
// that; so they keep their direction. A norm that is not finite makes all of
// them so.
struct Clipped {
  std::vector<Tensor> gradients;
  Tensor norm;  // before
};
Clipped clip_by_global_norm(
    const std::vector<Tensor>& gradients, double max_norm,
    std::source_location where = std::source_location::current());

// Every element held between -limit and limit.
std::vector<Tensor> clip_by_value(
    const std::vector<Tensor>& gradients, double limit,
    std::source_location where = std::source_location::current());

// The same with the gradients that parameters have. The first returns the norm
// before; without any gradient it is 0.
struct ClipNormOptions {
  double norm_type = 2;  // the order of the norm
  // A norm that is no finite number is an error, and gradients stay as they
  // are. In a recorded function it is one of the call.
  bool error_if_nonfinite = false;
};
Tensor clip_grad_norm_(
    const Parameters& parameters, double max_norm,
    const ClipNormOptions& options = {},
    std::source_location where = std::source_location::current());
void clip_grad_value_(
    const Parameters& parameters, double limit,
    std::source_location where = std::source_location::current());

}  // namespace sluice::optim
