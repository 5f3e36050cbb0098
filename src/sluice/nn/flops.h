// How much work a node of a graph is.
#pragma once

#include "sluice/graph/node.h"

namespace sluice::nn {

// Two for each multiply-add of a product, a convolution or attention, for every
// iteration of a loop over a sequence; 0 for all others and where sizes are
// unknown.
double NodeFlops(const Node& node);

}  // namespace sluice::nn
