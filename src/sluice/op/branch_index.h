// BranchIndex: which branch a predicate or an index chooses, and the words of
// the errors. One rule for the executors, for the passes, for ops that stand
// for conditionals and for code that runs at once. Thread safe.
#pragma once

#include <cstddef>

#include "sluice/base/status.h"
#include "sluice/tensor/array.h"

namespace sluice {

// The boolean a conditional or a loop asks for. Error: not one element of bool.
Result<bool> PredicateValue(const Array& pred);

// A bool chooses branch 0 when true and 1 when false; a scalar of i32 or i64
// the branch of that number. Errors: no such scalar; out of range, unless the
// last of `count` branches is the default. They do not name the op.
Result<size_t> BranchIndex(const Array& chooser, size_t count,
                           bool has_default);

}  // namespace sluice
