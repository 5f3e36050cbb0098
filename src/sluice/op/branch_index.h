// BranchIndex: the branch selected by a predicate or an index, and the wording
// of errors. One rule for the executors, the passes, ops that represent
// conditionals, and eager code. Thread safe.
#pragma once

#include <cstddef>

#include "sluice/base/status.h"
#include "sluice/tensor/array.h"

namespace sluice {

// The boolean predicate of a conditional or a loop. Error: not one element of
// bool.
Result<bool> PredicateValue(const Array& pred);

// A bool selects branch 0 if true and 1 if false; a scalar of i32 or i64
// selects the branch of that number. Errors: another type or shape; out of
// range, unless the last of `count` branches is the default. They do not name
// the op.
Result<size_t> BranchIndex(const Array& chooser, size_t count,
                           bool has_default);

}  // namespace sluice
