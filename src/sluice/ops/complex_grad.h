// Gradients of complex numbers. The gradient for z = a + ib is dL/da + i dL/db:
// the direction in which the loss grows, as for a pair of real numbers.
// Therefore a gradient is multiplied by the conjugate of the derivative.
#pragma once

#include "sluice/op/grad_context.h"

namespace sluice {

// The conjugate; real numbers are their own.
inline GradVar Conjugate(GradContext& g, GradVar x) {
  return x && x.dtype() == DType::kC64 ? g.call("Conj", {x}) : x;
}

}  // namespace sluice
