#include "sluice/executor/reference_interpreter.h"

#include <unordered_map>

#include "sluice/base/strings.h"
#include "sluice/executor/node_error.h"
#include "sluice/graph/traverse.h"
#include "sluice/op/run_op.h"

namespace sluice {

Result<std::vector<Array>> Interpret(const Graph& graph,
                                     const std::vector<Array>& args,
                                     const StepContext& step) {
  const Region& root = graph.root();
  if (args.size() != static_cast<size_t>(root.num_args())) {
    return InvalidArgument(StrCat("graph \"", graph.name(), "\" takes ",
                                  root.num_args(), " arguments, got ",
                                  args.size()));
  }
  std::unordered_map<Value, Array, ValueHash> values;
  for (int i = 0; i < root.num_args(); ++i) {
    values[root.arg(i)] = args[static_cast<size_t>(i)];
  }
  SL_ASSIGN_OR_RETURN(std::vector<Node*> order,
                      TopologicalOrder(root, EffectEdges(root)));
  for (Node* node : order) {
    std::vector<Array> inputs;
    for (const Value& v : node->inputs()) inputs.push_back(values.at(v));
    NodeInfo info{node->name(), node->line(), node->key()};
    Result<std::vector<Array>> out =
        RunOp(node->op(), node->attrs(), inputs, &step, &info);
    if (!out.ok()) return AtNode(out.status(), *node, inputs);
    for (int i = 0; i < node->num_outputs(); ++i) {
      values[node->output(i)] = (*out)[static_cast<size_t>(i)];
    }
  }
  std::vector<Array> results;
  for (const Value& v : root.results()) results.push_back(values.at(v));
  return results;
}

}  // namespace sluice
