#include "sluice/passes/dead_code.h"

#include <vector>

#include "sluice/graph/batch_edit.h"
#include "sluice/passes/may_move.h"

namespace sluice {

namespace {

class DeadCode {
 public:
  explicit DeadCode(Graph& graph)
      : graph_(graph),
        edit_(graph),
        uses_(static_cast<size_t>(graph.id_limit()), 0) {}

  bool Run() {
    CountUses(graph_.root());
    Sweep(graph_.root());
    return edit_.Commit();
  }

 private:
  int& uses(const Node& node) { return uses_[static_cast<size_t>(node.id())]; }

  void Count(const Node& node, int by) {
    if (!node.is_args()) uses(node) += by;
  }
  // Counts the inputs of a node; a recursive function is not used by its own
  // calls.
  void CountInputs(const Node& node, int by) {
    for (const Value& v : node.inputs()) {
      if (!IsOwnFunction(*v.node, node.region())) Count(*v.node, by);
    }
  }

  // A node that reads nothing and waits for nothing imposes no order.
  static bool MeansNothing(const Node& control) {
    return control.op().pure() && control.num_inputs() == 0 &&
           control.controls().empty();
  }

  void CountUses(const Region& region) {
    for (Node* node : region.nodes()) {
      CountInputs(*node, 1);
      for (Node* c : node->controls()) {
        if (MeansNothing(*c) && !edit_.is_target(*c)) {
          edit_.ReplaceControl(*c, {});
        } else {
          Count(*c, 1);
        }
      }
      for (const auto& inner : node->regions()) CountUses(*inner);
    }
    for (const Value& v : region.results()) Count(*v.node, 1);
    for (const Node* target : region.targets()) Count(*target, 1);
  }

  // Subtracts the uses of a node, including those of nodes inside it.
  void Release(const Node& node) {
    CountInputs(node, -1);
    for (const Node* c : node.controls()) {
      if (!MeansNothing(*c) || edit_.is_target(*c)) Count(*c, -1);
    }
    for (const auto& region : node.regions()) {
      for (const Node* inner : region->nodes()) Release(*inner);
      for (const Value& v : region->results()) Count(*v.node, -1);
      for (const Node* target : region->targets()) Count(*target, -1);
    }
  }

  // Users are below their inputs, so one upward sweep visits every node after
  // all of its users.
  void Sweep(Region& region) {
    for (auto it = region.nodes().rbegin(); it != region.nodes().rend(); ++it) {
      Node& node = **it;
      if (uses(node) == 0 && !HasEffect(node)) {
        Release(node);
        edit_.Erase(node);
        continue;
      }
      for (const auto& inner : node.regions()) Sweep(*inner);
    }
  }

  Graph& graph_;
  BatchEdit edit_;
  std::vector<int> uses_;  // by id
};

}  // namespace

Result<bool> RemoveDeadCode(Graph& graph) { return DeadCode(graph).Run(); }

}  // namespace sluice
