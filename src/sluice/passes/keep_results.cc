#include "sluice/passes/keep_results.h"

namespace sluice {

namespace {

// Moves one region of `from` into `to`; a loop's body returns the carried
// values, its condition does not.
Status FillRegion(Graph& graph, BatchEdit& edit, Region& from, Region& to,
                  const std::vector<bool>& keep, bool all_results) {
  for (int i = 0; i < from.num_args(); ++i) {
    if (!keep[static_cast<size_t>(i)]) continue;
    SL_ASSIGN_OR_RETURN(Value arg,
                        graph.AddArg(to, from.arg_name(i), from.arg(i).type()));
    edit.Replace(from.arg(i), arg);
  }
  for (Node* node : from.nodes()) {
    if (!edit.erased(*node)) edit.MoveToEnd(*node, to);
  }
  std::vector<Value> results;
  for (size_t i = 0; i < from.results().size(); ++i) {
    if (all_results || keep[i]) results.push_back(from.results()[i]);
  }
  graph.SetResults(to, std::move(results));
  graph.SetTargets(to, {from.targets().begin(), from.targets().end()});
  return OkStatus();
}

}  // namespace

Result<Node*> KeepResults(Graph& graph, BatchEdit& edit, Node& node,
                          const std::vector<bool>& keep) {
  bool loop = node.op().flow == Flow::kLoop;
  std::vector<Value> inputs;
  std::vector<ValueType> types;
  std::vector<DType> dtypes;
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (!loop || keep[static_cast<size_t>(i)]) inputs.push_back(node.input(i));
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (!keep[static_cast<size_t>(i)]) continue;
    types.push_back(node.output_type(i));
    dtypes.push_back(types.back().dtype);
  }
  Attrs attrs = node.attrs();
  attrs.set("dtypes", dtypes);
  SL_ASSIGN_OR_RETURN(Node * heir,
                      graph.Add(*node.region(), node.op().name, inputs, attrs));
  graph.SetOutputs(*heir, std::move(types));
  for (const auto& region : node.regions()) {
    SL_ASSIGN_OR_RETURN(Region * filled,
                        graph.AddRegion(*heir, region->label()));
    bool cond = loop && region == node.regions()[0];
    SL_RETURN_IF_ERROR(FillRegion(graph, edit, *region, *filled, keep, cond));
  }
  int next = 0;
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (!keep[static_cast<size_t>(i)]) continue;
    edit.Replace(node.output(i), heir->output(next++));
  }
  edit.TakeOver(*heir, node);
  return heir;
}

}  // namespace sluice
