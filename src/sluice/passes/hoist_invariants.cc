#include "sluice/passes/hoist_invariants.h"

#include <set>

#include "sluice/base/strings.h"
#include "sluice/graph/batch_edit.h"
#include "sluice/passes/may_move.h"

namespace sluice {

namespace {

class Hoister {
 public:
  Hoister(Graph& graph, std::vector<std::string>* notes)
      : graph_(graph), notes_(notes), edit_(graph) {}

  bool Run() {
    Visit(graph_.root());
    return edit_.Commit();
  }

 private:
  // Producers come first, so a node finds its inputs in their new places.
  void Visit(Region& region) {
    bool in_loop = region.owner() && region.owner()->op().flow == Flow::kLoop;
    int moved = 0;
    for (Node* node : region.nodes()) {
      if (in_loop && MayMove(*node)) {
        if (Node* loop = OutermostLoop(*node)) {
          Move(*node, *loop);
          ++moved;
          continue;
        }
      }
      for (const auto& inner : node->regions()) Visit(*inner);
    }
    if (moved && notes_) {
      notes_->push_back(StrCat(moved, " nodes of ", region.label(),
                               " are computed before the loop ",
                               NodeLine(*region.owner())));
    }
  }

  // A constant costs nothing in place; it moves with the node that needs it.
  bool MayMove(const Node& node) const {
    return node.num_inputs() > 0 && Free(node) && CannotFail(node);
  }
  bool Free(const Node& node) const {
    return node.controls().empty() && !edit_.is_target(node) &&
           !BatchEdit::HasControlUser(node);
  }

  bool ThereBefore(const Node& loop, const Value& v) const {
    if (v.node->region()->Encloses(loop.region())) return true;
    return ConstantValue(v) && Free(*v.node) && !moved_.count(v.node);
  }

  // The outermost loop around the node that does not change its inputs,
  // searched from the inside out; null if the innermost loop does.
  Node* OutermostLoop(const Node& node) const {
    Node* found = nullptr;
    for (Node* loop = node.region()->owner();
         loop && loop->op().flow == Flow::kLoop;
         loop = loop->region()->owner()) {
      for (const Value& v : node.inputs()) {
        if (!ThereBefore(*loop, v)) return found;
      }
      found = loop;
    }
    return found;
  }

  void Move(Node& node, Node& loop) {
    for (const Value& v : node.inputs()) {
      if (!v.node->region()->Encloses(loop.region())) {
        edit_.MoveBefore(*v.node, loop);
        moved_.insert(v.node);
      }
    }
    edit_.MoveBefore(node, loop);
  }

  Graph& graph_;
  std::vector<std::string>* notes_;
  BatchEdit edit_;
  std::set<const Node*> moved_;  // constants: moving one once per sweep is
                                 // enough
};

}  // namespace

Result<bool> HoistInvariants(Graph& graph, std::vector<std::string>* notes) {
  return Hoister(graph, notes).Run();
}

}  // namespace sluice
