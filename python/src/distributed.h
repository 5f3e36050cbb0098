// Process groups and what they do to tensors, for sluice.distributed.
#pragma once

#include "common.h"

namespace sluice::py {

void BindDistributed(nb::module_& m);
// Variables over tasks, and training with them.
void BindParameterServers(nb::module_& m);

}  // namespace sluice::py
