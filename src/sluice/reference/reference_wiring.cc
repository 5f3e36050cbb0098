#include "sluice/reference/reference_wiring.h"

#include "sluice/graph/effects.h"
#include "sluice/graph/frame_rules.h"
#include "sluice/graph/traverse.h"

namespace sluice {

namespace {

void FindFrames(TokenWiring& wiring, const Node& node) {
  TokenWiring::Frames frames;
  bool found = false;
  for (const Value& v : wiring.operands[&node]) {
    if (found || !wiring.Inside(v.node) || IsBackEdge(node, v)) continue;
    frames = wiring.gives_to[v.node];
    found = true;
  }
  for (const Node* c : node.controls()) {
    if (found || !wiring.Inside(c)) continue;
    frames = wiring.gives_to[c];
    found = true;
  }
  wiring.fires_in[&node] = frames;
  if (node.op().flow == Flow::kEnter) frames.push_back(FrameName(node));
  if (node.op().flow == Flow::kExit && !frames.empty()) frames.pop_back();
  wiring.gives_to[&node] = std::move(frames);
}

}  // namespace

Result<TokenWiring> TokenWiring::Of(const Region& region) {
  TokenWiring w;
  w.region = &region;
  std::vector<EffectEdge> effects = EffectEdges(region);
  SL_ASSIGN_OR_RETURN(w.order, TopologicalOrder(region, effects));
  for (const EffectEdge& e : effects) {
    w.effects_before[e.after].push_back(e.before);
  }
  for (const Node* node : w.order) {
    w.position.emplace(node, w.position.size());
    std::vector<Value>& operands = w.operands[node];
    operands = InputsWithCaptures(*node);
    for (size_t i = 0; i < operands.size(); ++i) {
      w.users[operands[i]].emplace_back(node, i);
    }
    for (const Node* c : node->controls()) {
      if (w.Inside(c)) w.control_users[c].push_back(node);
    }
    if (node->op().flow == Flow::kEnter) ++w.num_enters[FrameName(*node)];
    FindFrames(w, *node);
  }
  return w;
}

}  // namespace sluice
