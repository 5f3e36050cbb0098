// The Python function of an op, made from its record: operands, then
// attributes, by place or by name. axis, dim and axes mean the same, so do
// keepdims, keepdim and keep_dims.
//
// Called straight by the interpreter (vectorcall): a tiny op costs less than
// most ways to reach it would.
#pragma once

#include "common.h"

namespace sluice::py {

// Adds `op_function(name)`, which gives the function of an op by the op's name
// ("MatMul"), and `op_names()`.
void BindOpFunctions(nb::module_& m);

}  // namespace sluice::py
