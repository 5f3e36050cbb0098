// FedVariable: a variable of one step, to be fed in place of a variable's
// handle: everything in the step that reads or changes that variable, in loops
// too, uses this one, and the session's is not touched.
#pragma once

#include <string>

#include "sluice/tensor/array.h"

namespace sluice {

// Errors: elements that no variable holds.
Result<Array> FedVariable(const std::string& name, const Array& value,
                          const PartialShape& shape);

}  // namespace sluice
