// How much there is to do for a node, and how large values are, from their
// types: for predictions. Dimensions that are not known count as a middling
// number, so that what is not known is neither free nor out of reach.
#pragma once

#include <cstdint>

#include "sluice/graph/node.h"

namespace sluice {

struct NodeWork {
  double flops = 0, bytes = 0;
};
NodeWork WorkOf(const Node& node);

// 0 for handles and lists, which are not copied.
int64_t BytesOf(const ValueType& type);

}  // namespace sluice
