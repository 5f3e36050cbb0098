// Variables found again in a graph.
#include <algorithm>
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/front/variable.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/traverse.h"

namespace sluice {

inline namespace front {

Variable Variable::OfHandle(const Tensor& handle) {
  Operation made = handle.operation();
  if (made.node().op().role != Role::kVariable) {
    throw Error(InvalidArgument(StrCat("\"", handle.name(), "\" is made by ",
                                       made.type(),
                                       "; wanted the handle of a variable")));
  }
  Variable v;
  v.handle_ = handle;
  v.dtype_ = made.node().attrs().get<DType>("dtype");
  v.shape_ = made.node().attrs().get<PartialShape>("shape");
  v.value_ = find_tensor(handle.graph(), StrCat(made.name(), "/value"));
  return v;
}

}  // namespace front

std::vector<Variable> variables_behind(const Tensor& value) {
  Graph& graph = value.graph();
  std::vector<Node*> found;
  {
    MutexLock lock(graph.mu());
    std::vector<Node*> open{value.value().node};
    std::unordered_set<const Node*> met(open.begin(), open.end());
    auto reach = [&](Node* node) {
      if (met.insert(node).second) open.push_back(node);
    };
    while (!open.empty()) {
      Node* node = open.back();
      open.pop_back();
      if (!node->is_args() && node->op().role == Role::kVariable) {
        found.push_back(node);
      }
      if (node->is_args()) {
        // Of a region: whatever flows into its owner.
        if (node->region() && node->region()->owner()) {
          reach(node->region()->owner());
        }
        continue;
      }
      for (const Value& in : InputsWithCaptures(*node)) reach(in.node);
      // The value of a node of a region depends on whether the region runs.
      if (Node* owner = node->region()->owner()) reach(owner);
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Node* a, const Node* b) { return a->id() < b->id(); });
  std::vector<Variable> variables;
  for (Node* node : found) {
    variables.push_back(Variable::OfHandle(Tensor(graph, node->output())));
  }
  return variables;
}

}  // namespace sluice
