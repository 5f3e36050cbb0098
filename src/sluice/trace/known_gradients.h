// Whether code that is recorded may ask for gradients: only a run knows if some
// are there, where a branch decides what is made of what.
#pragma once

#include <vector>

#include "sluice/eager/tensor.h"

namespace sluice::front_internal {

// Throws where a branch decides whether gradients of the ys reach an x; where
// loops do, or with `or_fail`, runs in which they do not fail. Nothing happens
// where no function is being recorded.
void CheckGradientsKnown(const std::vector<Tensor>& ys,
                         const std::vector<Tensor>& xs, bool or_fail = false);

}  // namespace sluice::front_internal
