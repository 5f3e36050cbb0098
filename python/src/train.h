// The binding of the training loop's parts, for module.cc.
#pragma once

#include "common.h"

namespace sluice::py {

void BindTrain(nb::module_& m);  // Patience

}  // namespace sluice::py
