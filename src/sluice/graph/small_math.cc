#include "sluice/graph/small_math.h"

namespace sluice {

namespace {

bool IsSmall(const ValueType& type) {
  return IsPlainData(type.dtype) && type.shape.fully_known() &&
         type.shape.ToShape().num_elements() <= kFewElements;
}

}  // namespace

bool IsSmallValue(const Value& value) { return IsSmall(value.type()); }

bool IsSmallMath(const Node& node) {
  if (!node.op().block || node.op().view) return false;
  for (const Value& v : node.inputs()) {
    if (!IsSmallValue(v)) return false;
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (!IsSmall(node.output_type(i))) return false;
  }
  return true;
}

}  // namespace sluice
