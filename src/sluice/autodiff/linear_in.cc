#include "sluice/autodiff/linear_in.h"

namespace sluice {

std::vector<Value> LinearIn(const Node& node,
                            const std::function<bool(const Value&)>& fixed) {
  Linear linear = node.op().linear;
  if (linear == Linear::kNo || !node.controls().empty()) return {};
  std::vector<Value> varying;
  // Where sizes are not known an operand may be smaller than the result, and
  // then its sum may not be of one size.
  bool same = true;
  for (const Value& v : node.inputs()) {
    if (!fixed(v)) varying.push_back(v);
    same = same && v.type() == node.output_type(0) && v.shape().fully_known();
  }
  switch (linear) {
    case Linear::kInAll:
      return same && varying.size() == node.inputs().size()
                 ? varying
                 : std::vector<Value>();
    case Linear::kInEither:
      return varying.size() == 1 ? varying : std::vector<Value>();
    default:
      break;
  }
  bool floats = kFloats.contains(node.input(0).dtype()) &&
                kFloats.contains(node.output_type(0).dtype);
  bool first = varying.size() == 1 && varying[0] == node.input(0) && floats;
  return first ? varying : std::vector<Value>();
}

}  // namespace sluice
