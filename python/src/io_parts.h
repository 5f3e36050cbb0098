// The parts of the files' binding.
#pragma once

#include "common.h"

namespace sluice::py {

void BindCheckpoints(nb::module_& m);

}  // namespace sluice::py
