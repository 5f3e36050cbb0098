// Whether code being recorded may ask for gradients. Where a branch decides
// which values depend on which, the existence of a gradient is known only at
// run time.
#pragma once

#include <vector>

#include "sluice/eager/tensor.h"

namespace sluice::front_internal {

// Throws where a branch decides whether gradients of the ys reach an x. Where
// only loops decide it, or with `or_fail`, runs in which the gradients do not
// arrive fail instead. Does nothing outside recordings.
void CheckGradientsKnown(const std::vector<Tensor>& ys,
                         const std::vector<Tensor>& xs, bool or_fail = false);

}  // namespace sluice::front_internal
