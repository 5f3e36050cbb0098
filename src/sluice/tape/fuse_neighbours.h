// Loops that ride along with kernels. A loop that reads a kernel's result runs
// behind it, on each stretch as soon as it is final (bias and activation in a
// matrix product); a loop that makes a kernel's input runs before it, as the
// kernel asks for its elements (squares inside a sum). Ops say by the traits
// fuse_output and fuse_input that their kernels take part.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "sluice/tape/fusion.h"
#include "sluice/tape/tape_views.h"

namespace sluice {

// Joins groups; their order stays a legal one. Returns a line for each pair of
// neighbours that stayed apart although one reads the other: what stopped it.
std::vector<std::string> FuseNeighbours(std::vector<FusionGroup>& groups,
                                        const TapeViews& views,
                                        const std::vector<Value>& outputs);

}  // namespace sluice
