#include "sluice/placement/homes.h"

#include "sluice/graph/role_of.h"
#include "sluice/graph/traverse.h"
#include "sluice/op/host_inputs.h"

namespace sluice {

Homes::Homes(const ValueFlow& flow)
    : flow_(flow),
      marks_(static_cast<size_t>(flow.num_values()), Mark::kNew),
      homes_(marks_.size()),
      sources_(marks_.size()) {
  for (const ValueFlow::Edge& edge : flow.edges()) {
    auto& sources = sources_[static_cast<size_t>(flow.IdOf(edge.to))];
    // Of a loop's value, what comes round counts before what came in.
    const Node* from = edge.to.node->is_args() ? edge.to.node->region()->owner()
                                               : edge.to.node;
    bool loop = from->op().flow == Flow::kLoop;
    if (!loop && from->op().flow != Flow::kBranch) continue;
    sources.insert(loop ? sources.begin() : sources.end(), edge.from);
  }
  // In program order, so that little is open at a time.
  for (const Node* args : flow.args_nodes()) {
    for (int i = 0; i < args->num_outputs(); ++i) Find(args->region()->arg(i));
  }
  for (Node* node : flow.nodes()) {
    for (int i = 0; i < node->num_outputs(); ++i) Find(node->output(i));
  }
}

Node* Homes::FromAny(const std::vector<Value>& sources) {
  Node* found = nullptr;
  for (const Value& source : sources) {
    Node* home = Find(source);
    if (home && RoleOf(*home) != Role::kConst) return home;
    if (home) found = home;
  }
  return found;
}

Node* Homes::Find(const Value& value) {
  auto id = static_cast<size_t>(flow_.IdOf(value));
  if (marks_[id] == Mark::kDone) return homes_[id];
  if (marks_[id] == Mark::kOpen) return nullptr;  // round a loop, unchanged
  marks_[id] = Mark::kOpen;
  Node* home = nullptr;
  Node& node = *value.node;
  if (node.op().flow == Flow::kMerge) {
    std::vector<Value> sources;
    for (const Value& in : node.inputs()) {
      sources.insert(IsBackEdge(node, in) ? sources.begin() : sources.end(),
                     in);
    }
    home = FromAny(sources);
  } else if (node.op().flow == Flow::kLoopCond) {
    home = nullptr;
  } else if (IsPrimitive(node)) {
    if (node.num_inputs() > 0) home = FromAny({node.input(0)});
  } else if (!sources_[id].empty()) {
    home = FromAny(sources_[id]);
  } else if (!node.is_args() && node.regions().empty() &&
             node.op().flow == Flow::kNone && !GivesSizes(node.op())) {
    home = &node;
  }
  marks_[id] = Mark::kDone;
  return homes_[id] = home;
}

}  // namespace sluice
