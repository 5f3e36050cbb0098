// Calls on complex numbers of ops whose kernels take none: what they mean is
// said in Python (sluice/_complex_calls.py), by other ops on their parts.
#pragma once

#include "op_call.h"

namespace sluice::py {

// Whether an operand is complex where the op takes no such numbers.
bool MeetsComplex(const OpRecord& op, std::span<const Given> inputs);

// False: there is nothing that stands for the op, which will say what it takes.
bool CallOnParts(const OpRecord& op, std::span<const Given> inputs,
                 const Attrs& attrs, CallResult* result);

}  // namespace sluice::py
