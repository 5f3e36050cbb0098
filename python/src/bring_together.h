// The types operands are computed in: brought together as users of numpy and
// PyTorch expect.
//
// The rule is that of C++ (sluice/eager/promote.h). A number of the program
// that the type does not hold is refused, not wrapped; compared with, it is
// compared as it is.
#pragma once

#include <span>

#include "operand.h"
#include "sluice/eager/promote.h"
#include "sluice/op/record.h"

namespace sluice::py {

// Converts operands in place. A type: bools or small integers were widened for
// an op that does not take them, and its results are to be of that type again.
DType BringTogether(const OpRecord& op, std::span<Given> inputs,
                    const Attrs& attrs);

}  // namespace sluice::py
