// Functions written in Python that also have a fast path: for a float tensor
// with plain arguments the op is called directly. All accept name=, like ops:
// the name of the node that computes the result.
#pragma once

#include "common.h"

namespace sluice::py {

void BindTensorFunctions(nb::module_& m);

}  // namespace sluice::py
