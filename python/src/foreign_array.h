// Arrays of other libraries, by the protocols they share: numpy's array
// interface and DLPack. Elements are shared where asked for and possible, else
// copied.
#pragma once

#include "common.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

// Holds nothing when the object speaks neither protocol. Throws for elements of
// a type we do not have, or on a device we cannot read.
Array FromForeign(nb::handle object, bool share);

}  // namespace sluice::py
