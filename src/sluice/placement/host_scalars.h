// Host scalars: the small integers and truths a step reads on the host to go on
// (predicates, sizes, positions in lists), and those that they are computed
// from. They stay on the host inside a device's scope, too: a counted loop
// must not wait for a copy in each iteration.
//
// Only what follows from constants, arguments of the graph, shapes and other
// host scalars is one; a truth that a device computes is copied instead.
#pragma once

#include <vector>

#include "sluice/placement/value_flow.h"

namespace sluice {

// By value id.
std::vector<char> FindHostScalars(const ValueFlow& flow);

}  // namespace sluice
