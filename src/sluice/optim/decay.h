// Weight decay as part of the gradient: the gradient of half the squared norm.
#pragma once

#include "sluice/eager/operators.h"
#include "sluice/ops.h"
#include "sluice/optim/param.h"

namespace sluice::optim {

inline Tensor WithDecay(const Param& p, const Tensor& grad,
                        double weight_decay) {
  return weight_decay == 0 ? grad : mul_add(p.value(), weight_decay, grad);
}

// old + (1 - keep) (new - old): the running mean all of them are made of.
inline Tensor Average(const Tensor& old, const Tensor& fresh, double keep) {
  return lerp(old, fresh, 1 - keep);
}

}  // namespace sluice::optim
