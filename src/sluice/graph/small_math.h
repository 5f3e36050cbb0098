// Math on a few elements: it takes less time than handing a value from one
// device of the host to another does. Such nodes are compiled together although
// they are on several CPU devices, and read each other's values where they lie.
//
// Plain functions; any thread that may read the graph.
#pragma once

#include "sluice/graph/node.h"

namespace sluice {

// Of known shape, with at most this many elements: an op on 64 of them takes
// 7 ns, handing them over 140 ns (sluice-bench devices multi_device_node).
inline constexpr int64_t kFewElements = 64;
bool IsSmallValue(const Value& value);
// Element by element, on small values alone.
bool IsSmallMath(const Node& node);

}  // namespace sluice
