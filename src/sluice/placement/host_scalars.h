// Host scalars: the small integers and booleans that a step reads on the host
// in order to continue (predicates, sizes, list indices), and those they are
// computed from. They stay on the host even inside a device scope: a counted
// loop must not wait for a copy in each iteration.
//
// Only values derived from constants, graph arguments, shapes and other host
// scalars qualify; a boolean that a device computes is copied instead. A plain
// function.
#pragma once

#include <vector>

#include "sluice/placement/value_flow.h"

namespace sluice {

// Indexed by value id.
std::vector<char> FindHostScalars(const ValueFlow& flow);

}  // namespace sluice
