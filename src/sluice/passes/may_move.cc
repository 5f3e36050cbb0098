#include "sluice/passes/may_move.h"

#include <algorithm>
#include <set>

namespace sluice {

namespace {

using Functions = std::set<const Node*>;

// The region that a call runs, once per search; otherwise null.
const Region* NewlyCalled(const Node& node, Functions& seen) {
  if (node.op().flow != Flow::kCall) return nullptr;
  const Node* function = node.input(0).node;
  if (function->regions().empty() || !seen.insert(function).second) {
    return nullptr;
  }
  return function->regions()[0].get();
}

bool HasEffectIn(const Node& node, Functions& seen) {
  const OpRecord& op = node.op();
  if (op.flow == Flow::kFunction) return false;  // until it is called
  if (op.stateful || op.effect != Effect::kNone || !op.global_effect.empty() ||
      op.async()) {
    return true;
  }
  auto any = [&](const Region& region) {
    return std::any_of(
        region.nodes().begin(), region.nodes().end(),
        [&](const Node* inner) { return HasEffectIn(*inner, seen); });
  };
  if (op.flow == Flow::kCall) {
    if (node.input(0).node->op().flow != Flow::kFunction) return true;
    const Region* called = NewlyCalled(node, seen);
    return called && any(*called);
  }
  if (op.structural && node.regions().empty()) return true;
  for (const auto& region : node.regions()) {
    if (any(*region)) return true;
  }
  return false;
}

bool DrawsIn(const Region& region, Functions& seen) {
  for (const Node* node : region.nodes()) {
    if (node->op().random) return true;
    const Region* called = NewlyCalled(*node, seen);
    if (called && DrawsIn(*called, seen)) return true;
    if (node->op().flow == Flow::kFunction) continue;
    for (const auto& inner : node->regions()) {
      if (DrawsIn(*inner, seen)) return true;
    }
  }
  return false;
}

bool AllSizesKnown(const Node& node) {
  auto known = [](const ValueType& type) {
    return type.shape.fully_known() && type.shape.ToShape().num_elements() > 0;
  };
  for (const Value& v : node.inputs()) {
    if (!known(v.type())) return false;
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (!known(node.output_type(i))) return false;
  }
  return true;
}

// For all values of the unknown sizes.
bool SurelyBroadcast(const Node& node) {
  if (node.num_inputs() == 1) return true;
  int rank = 0;
  for (const Value& v : node.inputs()) {
    if (!v.shape().rank_known()) return false;
    rank = std::max(rank, v.shape().rank());
  }
  for (int axis = 1; axis <= rank; ++axis) {  // from the last
    int64_t size = 1;
    for (const Value& v : node.inputs()) {
      if (axis > v.shape().rank()) continue;
      int64_t dim = v.shape()[v.shape().rank() - axis];
      if (dim == 1) continue;
      if (size != 1 && (size != dim || dim == kUnknownDim)) return false;
      size = dim;
    }
  }
  return true;
}

// Elementwise ops cannot fail, except for element types without a block
// function: integer division.
bool HasBlock(const Node& node) {
  std::vector<DType> dtypes;
  for (const Value& v : node.inputs()) dtypes.push_back(v.dtype());
  return node.op().block(node.attrs(), dtypes, node.output_type(0).dtype).fn;
}

bool OthersConstant(const Node& node) {
  for (int i = 1; i < node.num_inputs(); ++i) {
    if (!ConstantValue(node.input(i))) return false;
  }
  return true;
}

bool IsScalar(const Value& v) {
  return v.shape().rank_known() && v.shape().rank() == 0;
}

}  // namespace

bool HasEffect(const Node& node) {
  Functions seen;
  return HasEffectIn(node, seen);
}

bool CannotFail(const Node& node) {
  const OpRecord& op = node.op();
  if (!op.pure() || !node.regions().empty()) return false;
  if (op.elementwise()) return SurelyBroadcast(node) && HasBlock(node);
  if (op.dynamic_output || !AllSizesKnown(node)) return false;
  // Ops that read no elements, or make a view from attributes and constants.
  if (op.shape_only) return node.input(0).dtype() != DType::kList;
  return (op.view && OthersConstant(node)) || op.fails_for_sizes_only;
}

bool CannotFail(const Region& region) {
  for (const Node* node : region.nodes()) {
    switch (node->op().flow) {
      case Flow::kBranch:
        // An index may be out of range.
        if (!IsScalar(node->input(0)) ||
            (node->input(0).dtype() != DType::kBool &&
             !node->attrs().get<bool>("has_default"))) {
          return false;
        }
        break;
      case Flow::kLoop:
        if (!IsScalar(node->regions()[0]->results()[0])) return false;
        break;
      default:
        if (!CannotFail(*node)) return false;
    }
    for (const auto& inner : node->regions()) {
      if (!CannotFail(*inner)) return false;
    }
  }
  return true;
}

bool DrawsNumbers(const Region& region) {
  Functions seen;
  return DrawsIn(region, seen);
}

}  // namespace sluice
