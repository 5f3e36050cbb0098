// Estimates of the work of a node and of the size of values, from their types:
// for predictions. Unknown dimensions count as a medium number, so that they
// are neither free nor prohibitive.
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
