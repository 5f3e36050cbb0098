// The parts of the binding for files.
#pragma once

#include "common.h"

namespace sluice::py {

void BindCheckpoints(nb::module_& m);

}  // namespace sluice::py
