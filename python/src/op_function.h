// The Python function of an op, made from its record: operands, then
// attributes, by position or by name. axis, dim and axes are synonyms, and so
// are keepdims, keepdim and keep_dims.
//
// The interpreter calls it directly (vectorcall): most other call paths would
// cost more than a tiny op.
#pragma once

#include "common.h"

namespace sluice::py {

// Adds `op_function(name)`, which returns the function of an op by the op's
// name ("MatMul"), and `op_names()`.
void BindOpFunctions(nb::module_& m);

}  // namespace sluice::py
