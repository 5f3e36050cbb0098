// Inverses of the error function, as values: they have no gradients of their
// own. In graphs, in recorded functions and imperatively; any thread.
#pragma once

#include <source_location>

#include "sluice/eager/tensor.h"

namespace sluice::nn {

// The y >= 0 with erfc(y) = q and erf(y) = x, for f64 tensors with q + x = 1,
// of which the smaller is exact. Of q outside (0, 1] the result is any number.
Tensor InverseErfc(
    const Tensor& q, const Tensor& x,
    std::source_location where = std::source_location::current());

// The y with erf(y) = x, in the type of x, computed in f64: infinite at -1 and
// 1, NaN beyond.
Tensor InverseErf(const Tensor& x,
                  std::source_location where = std::source_location::current());

}  // namespace sluice::nn
