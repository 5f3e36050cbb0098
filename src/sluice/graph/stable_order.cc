#include "sluice/graph/stable_order.h"

#include "sluice/graph/traverse.h"

namespace sluice {

namespace {

// Whether all values of its own region that nodes inside `owner` use are above
// it.
bool CapturesAbove(const Region& inner, const Node& owner) {
  auto above = [&](const Node* used) {
    return used->region() != owner.region() || used->id() < owner.id();
  };
  for (const Node* node : inner.nodes()) {
    for (const Value& v : node->inputs()) {
      if (!above(v.node) && !IsOwnFunction(*v.node, &inner)) return false;
    }
    for (const Node* c : node->controls()) {
      if (!above(c)) return false;
    }
    for (const auto& region : node->regions()) {
      if (!CapturesAbove(*region, owner)) return false;
    }
  }
  for (const Value& v : inner.results()) {
    if (!above(v.node)) return false;
  }
  return true;
}

// Ids increase as nodes are made; if they also increase along the region, an
// edge from a smaller id points downwards. Arguments have id -1.
bool IdsShowOrder(const Region& region) {
  int last = -1;
  for (const Node* node : region.nodes()) {
    if (node->id() <= last) return false;
    last = node->id();
    for (const Value& v : node->inputs()) {
      if (v.node->region() == &region && v.node->id() >= last &&
          !IsBackEdge(*node, v)) {
        return false;
      }
    }
    for (const Node* c : node->controls()) {
      if (c->region() == &region && c->id() >= last) return false;
    }
    for (const auto& inner : node->regions()) {
      if (!CapturesAbove(*inner, *node)) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<Node*> StableOrder(const Region& region) {
  if (!IdsShowOrder(region)) {
    Result<std::vector<Node*>> order = TopologicalOrder(region);
    if (order.ok()) return std::move(*order);
  }
  return {region.nodes().begin(), region.nodes().end()};
}

}  // namespace sluice
