// Calls on complex numbers of ops without complex kernels: they are implemented
// in Python (sluice/_complex_calls.py), by other ops on the real and imaginary
// parts.
#pragma once

#include "op_call.h"

namespace sluice::py {

// Whether an operand is complex although the op does not support it.
bool MeetsComplex(const OpRecord& op, std::span<const Given> inputs);

// False: the op has no such implementation, and reports the types it supports.
bool CallOnParts(const OpRecord& op, std::span<const Given> inputs,
                 const Attrs& attrs, CallResult* result);

}  // namespace sluice::py
