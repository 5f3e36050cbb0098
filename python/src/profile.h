// What sl.profile() is made of: kernels of the host, told by lines.
#pragma once

#include "common.h"

namespace sluice::py {

void BindProfile(nb::module_& m);

}  // namespace sluice::py
