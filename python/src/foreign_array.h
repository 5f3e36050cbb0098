// Arrays of other libraries, by the protocols they share: numpy's array
// interface, DLPack, the buffer protocol, __array__. Elements are shared where
// asked for and possible, else copied.
#pragma once

#include "common.h"
#include "outside_memory.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

// Holds nothing when the object speaks none of them. Throws for elements of a
// type we do not have, or on a device we cannot read.
Array FromForeign(nb::handle object, bool share);

// The elements themselves, never copied but where they cannot be looked at as
// they are (another byte order). Holds nothing as above.
OutsideArray LookAtForeign(nb::handle object);

// What __dlpack__ gives. Throws BufferError or TypeError when that is nothing
// we can look at. `copy`: None, True or False.
OutsideArray FromDlpack(nb::handle object, nb::handle copy);

DType DTypeFromDlpack(int code, int bits, int lanes);

}  // namespace sluice::py
