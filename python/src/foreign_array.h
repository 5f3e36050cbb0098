// Arrays of other libraries, by the protocols they share: numpy's array
// interface, DLPack, the buffer protocol, __array__. Elements are shared where
// asked for and possible, else copied.
#pragma once

#include "common.h"
#include "outside_memory.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

// Empty if the object supports none of the protocols. Throws for unsupported
// element types, or devices we cannot read.
Array FromForeign(nb::handle object, bool share);

// The elements without a copy, unless they cannot be viewed (another byte
// order). Empty as above.
OutsideArray LookAtForeign(nb::handle object);

// The result of __dlpack__. Throws BufferError or TypeError if that cannot be
// viewed. `copy`: None, True or False.
OutsideArray FromDlpack(nb::handle object, nb::handle copy);

DType DTypeFromDlpack(int code, int bits, int lanes);

}  // namespace sluice::py
