#include "sluice/passes/move_out.h"

#include <algorithm>

namespace sluice {

void MoveOut(Graph& graph, BatchEdit& edit, Region& region, Node& owner) {
  std::vector<Node*> moved, waited_for;
  for (Node* node : region.nodes()) {
    edit.MoveBefore(*node, owner);
    for (Node* control : owner.controls()) edit.AddControl(*node, *control);
    moved.push_back(node);
  }
  waited_for = moved;
  for (const Value& v : owner.inputs()) {
    // Nobody waits for a function, and this may have been its last call.
    if (v.node->op().flow != Flow::kFunction) waited_for.push_back(v.node);
  }
  edit.ReplaceControl(owner, std::move(waited_for));
  // Nodes with effects run anyway; others must become targets.
  Region& around = *owner.region();
  std::vector<Node*> targets(around.targets().begin(), around.targets().end());
  for (Node* target : region.targets()) {
    if (target->op().pure()) targets.push_back(target);
  }
  graph.SetTargets(around, std::move(targets));
  for (int i = 0; i < owner.num_outputs(); ++i) {
    edit.Replace(owner.output(i),
                 edit.Resolve(region.results()[static_cast<size_t>(i)]));
  }
  edit.Erase(owner);
}

}  // namespace sluice
