#include "sluice/passes/raise_control_flow.h"

#include "sluice/passes/raise_branches.h"
#include "sluice/passes/raise_loops.h"

namespace sluice {

namespace {

// Raises in the first region with something to raise, outer ones first; false
// if a complete search changed nothing.
Result<bool> RaiseOnce(Graph& graph, Region& region, BatchEdit& edit,
                       std::vector<std::string>* notes) {
  if (HasPrimitives(region)) {
    // A region with a cycle is skipped: the error is reported elsewhere.
    Result<RawRegion> raw = RawRegion::Look(region);
    if (raw.ok()) {
      SL_RETURN_IF_ERROR(RaiseBranches(graph, edit, *raw, notes));
      if (!edit.changed()) {
        SL_RETURN_IF_ERROR(RaiseLoops(graph, edit, *raw, notes));
      }
      if (edit.changed()) return true;
    }
  }
  std::vector<Node*> nodes(region.nodes().begin(), region.nodes().end());
  for (Node* node : nodes) {
    for (const auto& inner : node->regions()) {
      SL_ASSIGN_OR_RETURN(bool changed, RaiseOnce(graph, *inner, edit, notes));
      if (changed) return true;
    }
  }
  return false;
}

}  // namespace

Result<bool> RaiseControlFlow(Graph& graph, std::vector<std::string>* notes) {
  bool changed = false;
  for (;;) {
    // One edit per round: the next round sees each raised part as one node.
    BatchEdit edit(graph);
    SL_ASSIGN_OR_RETURN(bool raised,
                        RaiseOnce(graph, graph.root(), edit, notes));
    if (!raised) return changed;
    edit.Commit();
    changed = true;
  }
}

}  // namespace sluice
