// Math on a few elements takes less time than passing a value from one device
// of the host to another. Such nodes are compiled together although they are on
// several CPU devices, and read each other's values directly.
//
// Plain functions; any thread that may read the graph.
#pragma once

#include "sluice/graph/node.h"

namespace sluice {

// Of known shape, with at most this many elements: an op on 64 of them takes
// 7 ns, handing them over 140 ns (sluice-bench devices multi_device_node).
inline constexpr int64_t kFewElements = 64;
bool IsSmallValue(const Value& value);
// Elementwise, on small values only.
bool IsSmallMath(const Node& node);

}  // namespace sluice
