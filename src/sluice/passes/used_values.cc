#include "sluice/passes/used_values.h"

namespace sluice {

namespace {

void Collect(const Region& region, ValueSet& used) {
  auto note = [&](const Value& v) {
    if (!v.node->regions().empty()) used.insert(v);
  };
  for (const Node* node : region.nodes()) {
    for (const Value& v : node->inputs()) note(v);
    for (const auto& inner : node->regions()) Collect(*inner, used);
  }
  for (const Value& v : region.results()) note(v);
}

}  // namespace

ValueSet UsedRegionOutputs(const Graph& graph) {
  ValueSet used;
  Collect(graph.root(), used);
  return used;
}

}  // namespace sluice
