#include "sluice/step/death_search.h"

#include "sluice/graph/traverse.h"

namespace sluice {

std::optional<Death> FindDeath(const Region& region, const Value& value,
                               const Decisions& decisions) {
  Result<std::vector<Node*>> order = TopologicalOrder(region);
  if (!order.ok()) return std::nullopt;
  std::unordered_map<Value, Death, ValueHash> deaths;
  std::unordered_map<const Node*, Death> dead_nodes;
  auto of = [&](const Value& v) -> const Death* {
    auto it = deaths.find(v);
    return it == deaths.end() ? nullptr : &it->second;
  };
  for (Node* node : *order) {
    const Death* death = nullptr;
    bool merge = node->op().flow == Flow::kMerge;
    bool all = true;
    for (const Value& v : node->inputs()) {
      if (IsBackEdge(*node, v)) continue;
      const Death* found = of(v);
      all = all && found;
      if (!death) death = found;
    }
    if (merge && !all) death = nullptr;
    for (Node* c : node->controls()) {
      auto it = dead_nodes.find(c);
      if (!merge && !death && it != dead_nodes.end()) death = &it->second;
    }
    if (node->op().flow == Flow::kTrigger) death = nullptr;
    if (death) {
      Death copy = *death;
      dead_nodes[node] = copy;
      for (int i = 0; i < node->num_outputs(); ++i) {
        deaths[node->output(i)] = copy;
      }
    } else if (node->op().flow == Flow::kSwitch) {
      if (std::optional<Decision> d = decisions(*node)) {
        deaths[node->output(d->pred ? 0 : 1)] = {node, d->pred, d->place};
      }
    }
  }
  const Death* death = of(value);
  return death ? std::optional<Death>(*death) : std::nullopt;
}

}  // namespace sluice
