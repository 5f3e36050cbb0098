// Fuses loops with neighbouring kernels. A loop that reads the result of a
// kernel runs on each stretch as soon as it is final (bias and activation after
// a matrix product). A loop that computes the input of a kernel runs as the
// kernel asks for elements (squares inside a sum). The traits fuse_output and
// fuse_input of an op say that its kernels support this.
//
// A plain function, called while a tape is built.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "sluice/tape/fusion.h"
#include "sluice/tape/tape_views.h"

namespace sluice {

// Joins groups; their order remains valid. Returns a line with the reason for
// each pair of neighbours that was not joined although one reads the other.
std::vector<std::string> FuseNeighbours(std::vector<FusionGroup>& groups,
                                        const TapeViews& views,
                                        const std::vector<Value>& outputs);

}  // namespace sluice
