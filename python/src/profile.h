// The implementation of sl.profile(): host kernels by source line.
#pragma once

#include "common.h"

namespace sluice::py {

void BindProfile(nb::module_& m);

}  // namespace sluice::py
