#include "sluice/passes/trap_nan.h"

#include "sluice/base/strings.h"
#include "sluice/graph/node.h"
#include "sluice/graph/role_of.h"

namespace sluice {

namespace {

// The check of one result, right behind its node.
Status Check(Graph& graph, Node& node, int output, Node* next) {
  Value made = node.output(output);
  std::vector<Value> inputs{made};
  std::vector<std::string> names;
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (node.input(i).dtype() != made.dtype()) continue;
    inputs.push_back(node.input(i));
    names.push_back(node.op().InputName(i));
  }
  NodeOptions options;
  options.name_hint = StrCat(node.name(), "/trap");
  options.line = node.line();
  options.device = node.device();
  Attrs attrs{{"op", node.op().name}, {"names", std::move(names)}};
  SL_ASSIGN_OR_RETURN(Node * check, graph.Add(*node.region(), "TrapNan", inputs,
                                              attrs, options));
  graph.ReplaceUses(made, check->output());
  graph.SetInput(*check, 0, made);
  if (next) graph.MoveBefore(*check, *next);
  return OkStatus();
}

Result<bool> TrapRegion(Graph& graph, Region& region) {
  std::vector<Node*> nodes(region.nodes().begin(), region.nodes().end());
  bool changed = false;
  for (size_t i = 0; i < nodes.size(); ++i) {
    Node& node = *nodes[i];
    for (const auto& inner : node.regions()) {
      SL_ASSIGN_OR_RETURN(bool some, TrapRegion(graph, *inner));
      changed |= some;
    }
    // Constants are what the user wrote and are not checked.
    Role role = RoleOf(node);
    if (role == Role::kConst || role == Role::kTrapNan) continue;
    Node* next = i + 1 < nodes.size() ? nodes[i + 1] : nullptr;
    for (int k = 0; k < node.num_outputs(); ++k) {
      if (!kFloats.contains(node.output_type(k).dtype)) continue;
      SL_RETURN_IF_ERROR(Check(graph, node, k, next));
      changed = true;
    }
  }
  return changed;
}

}  // namespace

Result<bool> TrapNan(Graph& graph) { return TrapRegion(graph, graph.root()); }

}  // namespace sluice
