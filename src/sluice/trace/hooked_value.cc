#include "sluice/trace/hooked_value.h"

#include <algorithm>

#include "sluice/autodiff/graph_grad_context.h"
#include "sluice/base/error.h"
#include "sluice/op/custom_gradient.h"
#include "sluice/trace/custom_rule.h"
#include "sluice/trace/trace_call.h"

namespace sluice::front_internal {

namespace {

// Inserts `node` right after `value`, before all readers of `value`.
void PutBehind(Graph& graph, Node& node, const Value& value) {
  std::span<Node* const> all = node.region()->nodes();
  auto at = std::find(all.begin(), all.end(), value.node);
  if (at == all.end() || at + 1 == all.end()) return;
  Node* next = *(at + 1);
  if (next != &node) graph.MoveBefore(node, *next);
}

}  // namespace

Value HookValue(Capture& capture, const Value& value,
                const TapeNode::Hook& hook) {
  auto user = hook.user;
  auto backward = [user](const std::vector<Tensor>&, const std::vector<Tensor>&,
                         const std::vector<Tensor>& flows) {
    Capture* open = Capture::Open();
    if (!open) {
      throw Error(Unimplemented(
          "a hook of a captured function was met where nothing is recorded"));
    }
    Tensor changed = user(Tensor(open->ValueOf(flows[0])));
    return std::vector<Tensor>{changed.defined() ? changed : flows[0]};
  };
  Array number = RegisterCustomGradient([backward](GradContext& g) {
    BuildCustomRule(g, 1, backward, /*zeros=*/true);
  });
  Value hooked = TraceNode(capture, "CustomGradient", {value, value},
                           {{"dtypes", std::vector<DType>{value.dtype()}},
                            {"num_inputs", int64_t{1}},
                            {"function", number}});
  Graph& graph = capture.graph();
  MutexLock lock(graph.mu());
  PutBehind(graph, *hooked.node, value);
  graph.ReplaceUses(value, hooked);
  graph.SetInput(*hooked.node, 0, value);
  graph.SetInput(*hooked.node, 1, value);
  return hooked;
}

}  // namespace sluice::front_internal
