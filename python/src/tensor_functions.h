// Functions written in Python with a shorter way beside them: a tensor of
// floats with plain arguments goes straight to the op. All take name=, as ops
// do: the node that makes the result has that name.
#pragma once

#include "common.h"

namespace sluice::py {

void BindTensorFunctions(nb::module_& m);

}  // namespace sluice::py
