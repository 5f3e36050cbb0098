#include "sluice/passes/fold_branches.h"

#include "sluice/base/strings.h"
#include "sluice/op/branch_index.h"
#include "sluice/passes/move_out.h"
#include "sluice/passes/raw_region.h"

namespace sluice {

namespace {

class BranchFolder {
 public:
  BranchFolder(Graph& graph, std::vector<std::string>* notes)
      : graph_(graph), notes_(notes), edit_(graph) {}

  bool Run() {
    Visit(graph_.root());
    return edit_.Commit();
  }

 private:
  // From the outside in: nodes moved out of a branch are visited in their new
  // place.
  void Visit(Region& region) {
    // Among primitives a node that owns regions is dead as a whole.
    bool raw = HasPrimitives(region);
    for (Node* node : region.nodes()) {
      edit_.Update(*node);
      if (Region* taken = raw ? nullptr : Taken(*node)) {
        if (notes_) {
          notes_->push_back(StrCat("[", node->op().name, "] always takes ",
                                   taken->label(), " ", NodeLine(*node)));
        }
        MoveOut(graph_, edit_, *taken, *node);
        Visit(*taken);
        continue;
      }
      for (const auto& inner : node->regions()) Visit(*inner);
    }
  }

  Region* Taken(const Node& node) const {
    if (node.op().flow != Flow::kBranch || edit_.is_target(node)) {
      return nullptr;
    }
    const Array* chooser = ConstantValue(node.input(0));
    if (!chooser) return nullptr;
    const AttrValue* has_default = node.attrs().find("has_default");
    Result<size_t> index = BranchIndex(*chooser, node.regions().size(),
                                       has_default && has_default->get<bool>());
    if (!index.ok()) return nullptr;  // the step will report it
    Region* taken = node.regions()[*index].get();
    // Frames with the same name must not meet.
    return HasPrimitives(*taken) ? nullptr : taken;
  }

  Graph& graph_;
  std::vector<std::string>* notes_;
  BatchEdit edit_;
};

}  // namespace

Result<bool> FoldBranches(Graph& graph, std::vector<std::string>* notes) {
  return BranchFolder(graph, notes).Run();
}

}  // namespace sluice
