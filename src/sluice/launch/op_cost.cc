#include "sluice/launch/op_cost.h"

#include <algorithm>

#include "sluice/graph/node.h"
#include "sluice/graph/node_sizes.h"

namespace sluice {

double NodeCostNanos(const Node& node) {
  constexpr double kLaunch = 30;            // nanoseconds around any kernel
  constexpr double kUnknown = 1000;         // nothing known: neither cheap nor
                                            // expensive
  constexpr double kNanosPerElement = 0.5;  // one pass over memory
  constexpr double kNanosPerFlop = 0.1;
  double elements = 0;
  bool known = true;
  auto count = [&](const PartialShape& shape) {
    if (!shape.fully_known()) {
      known = false;
    } else {
      elements = std::max(elements,
                          static_cast<double>(shape.ToShape().num_elements()));
    }
  };
  for (const Value& v : node.inputs()) {
    if (IsReference(v.dtype())) continue;
    count(v.shape());
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (!IsReference(node.output_type(i).dtype)) {
      count(node.output_type(i).shape);
    }
  }
  if (!known) return kUnknown;
  if (node.op().view || node.op().shape_only) return kLaunch;
  if (!node.op().cost) return kLaunch + elements * kNanosPerElement;
  NodeSizes sizes(node);
  return kLaunch + node.op().cost(sizes.context()) * kNanosPerFlop;
}

}  // namespace sluice
