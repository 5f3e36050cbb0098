#include "sluice/autodiff/linear_in.h"

#include <algorithm>
#include <string_view>

namespace sluice {

namespace {

enum class Kind { kNone, kFirst, kProduct, kQuotient, kSum };

// kFirst: in input 0. kProduct: in either of two, the other held fixed.
Kind KindOf(std::string_view op) {
  constexpr std::string_view kMoves[] = {
      "Reshape", "Transpose",        "ExpandDims", "Squeeze", "Identity",
      "Neg",     "StridedSliceGrad", "GatherGrad", "SumTo",   "Cast"};
  constexpr std::string_view kProducts[] = {"Mul", "MatMul", "BatchMatMul"};
  constexpr std::string_view kSums[] = {"Add", "Sub", "AddN"};
  auto in = [&](auto& names) {
    return std::find(std::begin(names), std::end(names), op) != std::end(names);
  };
  if (in(kMoves)) return Kind::kFirst;
  if (in(kProducts)) return Kind::kProduct;
  if (in(kSums)) return Kind::kSum;
  return op == "Div" ? Kind::kQuotient : Kind::kNone;
}

}  // namespace

std::vector<Value> LinearIn(const Node& node,
                            const std::function<bool(const Value&)>& fixed) {
  Kind kind = KindOf(node.op().name);
  if (kind == Kind::kNone || !node.controls().empty()) return {};
  std::vector<Value> varying;
  // Where sizes are not known an operand may be smaller than the result, and
  // then its sum may not be of one size.
  bool same = true;
  for (const Value& v : node.inputs()) {
    if (!fixed(v)) varying.push_back(v);
    same = same && v.type() == node.output_type(0) && v.shape().fully_known();
  }
  switch (kind) {
    case Kind::kSum:
      return same && varying.size() == node.inputs().size()
                 ? varying
                 : std::vector<Value>();
    case Kind::kProduct:
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
