// Process groups and collectives on tensors, for sluice.distributed.
#pragma once

#include "common.h"

namespace sluice::py {

void BindDistributed(nb::module_& m);
// Parameter servers, and training with them.
void BindParameterServers(nb::module_& m);

}  // namespace sluice::py
