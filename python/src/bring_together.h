// Type promotion of operands, as users of numpy and PyTorch expect.
//
// The rule is that of C++ (sluice/eager/promote.h). A Python number that the
// type cannot hold is refused, not wrapped; in comparisons it is compared
// exactly.
#pragma once

#include <span>

#include "operand.h"
#include "sluice/eager/promote.h"
#include "sluice/op/record.h"

namespace sluice::py {

// Converts operands in place. Returns a type if bools or small integers were
// widened for an op that does not support them: its results must be cast back
// to it.
DType BringTogether(const OpRecord& op, std::span<Given> inputs,
                    const Attrs& attrs);

}  // namespace sluice::py
