#include "sluice/passes/decompose.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/graph/node.h"
#include "sluice/op/decompose_context.h"

namespace sluice {

namespace {

// The rule of one node; the ops that it calls are inserted before the node.
class NodeDecomposition final : public DecomposeContext {
 public:
  NodeDecomposition(Graph& graph, Node& node)
      : DecomposeContext(node.op(), node.attrs(), node.num_outputs()),
        graph_(graph),
        node_(node) {
    for (const Value& v : node.inputs()) in_.push_back(Enter(v));
  }

  const std::vector<Node*>& added() const { return added_; }

  // Replaces the node's outputs by the values that the rule set, and erases it.
  Status Replace() {
    SL_RETURN_IF_ERROR(status());
    if (added_.empty()) {
      return Internal(
          StrCat("[", node_.op().name, "] its decomposition calls no op"));
    }
    for (int i = 0; i < node_.num_outputs(); ++i) {
      int id = out_[static_cast<size_t>(i)];
      if (id < 0) {
        return Internal(StrCat("[", node_.op().name,
                               "] its decomposition sets no output ", i));
      }
      graph_.ReplaceUses(node_.output(i), table_[static_cast<size_t>(id)]);
    }
    graph_.ReplaceControlUses(node_, *added_.back());
    std::vector<Node*> targets(node_.region()->targets().begin(),
                               node_.region()->targets().end());
    if (std::find(targets.begin(), targets.end(), &node_) != targets.end()) {
      std::replace(targets.begin(), targets.end(), &node_, added_.back());
      graph_.SetTargets(*node_.region(), std::move(targets));
    }
    graph_.Erase(node_);
    return OkStatus();
  }

 protected:
  Status Emit(const OpRecord& op, std::span<const int> inputs,
              const Attrs& attrs, Ids& made) override {
    std::vector<Value> values;
    for (int id : inputs) values.push_back(table_[static_cast<size_t>(id)]);
    NodeOptions options;
    options.name_hint = StrCat(node_.name(), "/", op.name);
    options.device = node_.device();
    options.line = node_.line();
    options.controls.assign(node_.controls().begin(), node_.controls().end());
    SL_ASSIGN_OR_RETURN(Node * node, graph_.Add(*node_.region(), op.name,
                                                values, attrs, options));
    graph_.MoveBefore(*node, node_);
    added_.push_back(node);
    for (int i = 0; i < node->num_outputs(); ++i) {
      made.push_back(Enter(node->output(i)));
    }
    return OkStatus();
  }
  DType TypeOf(int id) const override {
    return table_[static_cast<size_t>(id)].dtype();
  }
  PartialShape ShapeOf(int id) const override {
    return table_[static_cast<size_t>(id)].shape();
  }

 private:
  int Enter(Value value) {
    table_.push_back(value);
    return static_cast<int>(table_.size()) - 1;
  }

  Graph& graph_;
  Node& node_;
  std::vector<Value> table_;
  std::vector<Node*> added_;
};

Result<bool> DecomposeRegion(Graph& graph, Region& region,
                             const std::function<bool(const Node&)>& lacks) {
  bool changed = false;
  std::vector<Node*> todo(region.nodes().begin(), region.nodes().end());
  for (size_t i = 0; i < todo.size(); ++i) {
    Node& node = *todo[i];
    for (const auto& inner : node.regions()) {
      SL_ASSIGN_OR_RETURN(bool some, DecomposeRegion(graph, *inner, lacks));
      changed = changed || some;
    }
    if (!node.op().decompose || !lacks(node)) continue;
    NodeDecomposition parts(graph, node);
    node.op().decompose(parts);
    SL_RETURN_IF_ERROR(parts.Replace());
    todo.insert(todo.end(), parts.added().begin(), parts.added().end());
    changed = true;
  }
  return changed;
}

}  // namespace

Result<bool> Decompose(Graph& graph,
                       const std::function<bool(const Node&)>& lacks) {
  return DecomposeRegion(graph, graph.root(), lacks);
}

}  // namespace sluice
