#include "sluice/autodiff/value_origins.h"

namespace sluice {

namespace {

Origins OfArgument(const Value& v) {
  Origins from;
  const Region& region = *v.node->region();
  Node* owner = region.owner();
  if (!owner) return from;
  if (owner->op().flow == Flow::kLoop) {
    from.values.push_back(owner->input(v.index));
    const Region& body = *owner->regions()[1];
    from.values.push_back(body.results()[static_cast<size_t>(v.index)]);
  } else if (owner->op().flow == Flow::kFunction) {
    for (Node* call : owner->users()) {
      if (call->op().flow == Flow::kCall && call->num_inputs() > v.index + 1) {
        from.values.push_back(call->input(v.index + 1));
      }
    }
  }
  return from;
}

}  // namespace

Origins OriginsOf(const Value& v) {
  if (v.node->is_args()) return OfArgument(v);
  Origins from;
  const Node& node = *v.node;
  auto result_of = [&](const Region& region) {
    auto k = static_cast<size_t>(v.index);
    if (k < region.results().size()) from.values.push_back(region.results()[k]);
  };
  switch (node.op().flow) {
    case Flow::kBranch:
      from.deciders.push_back(node.input(0));
      for (const auto& region : node.regions()) result_of(*region);
      break;
    case Flow::kLoop:
      from.values.push_back(node.input(v.index));
      result_of(*node.regions()[1]);
      for (const Value& go : node.regions()[0]->results()) {
        from.deciders.push_back(go);
      }
      break;
    case Flow::kCall:
      if (!node.input(0).node->regions().empty()) {
        result_of(*node.input(0).node->regions()[0]);
      }
      break;
    default:
      from.values.assign(node.inputs().begin(), node.inputs().end());
  }
  return from;
}

}  // namespace sluice
