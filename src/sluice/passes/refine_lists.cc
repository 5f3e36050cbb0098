#include "sluice/passes/refine_lists.h"

#include "sluice/base/strings.h"
#include "sluice/graph/batch_edit.h"
#include "sluice/graph/role_of.h"
#include "sluice/op/signature.h"
#include "sluice/passes/list_elements.h"

namespace sluice {

namespace {

bool ReadsElements(const Node& node) {
  Role role = RoleOf(node);
  return role == Role::kListGet || role == Role::kListTake ||
         role == Role::kListPop || role == Role::kListStack ||
         role == Role::kListConcat || role == Role::kListGather;
}

class Refiner {
 public:
  Refiner(Graph& graph, std::vector<std::string>* notes)
      : graph_(graph), notes_(notes), edit_(graph), elements_(graph) {}

  Result<bool> Run() {
    SL_RETURN_IF_ERROR(Visit(graph_.root()));
    return edit_.Commit();
  }

 private:
  Status Visit(Region& region) {
    for (Node* node : region.nodes()) {
      for (const auto& inner : node->regions()) {
        SL_RETURN_IF_ERROR(Visit(*inner));
      }
      if (ReadsElements(*node)) SL_RETURN_IF_ERROR(Refine(*node));
    }
    return OkStatus();
  }

  Status Refine(Node& node) {
    const KnownElements* known = elements_.Find(node.input(0));
    // An element that was never written is read as zeros if its shape is known,
    // otherwise it is an error: the error must stay.
    if (!known || known->none || known->holes) return OkStatus();
    const auto& said = node.attrs().get<PartialShape>("shape");
    Result<PartialShape> shape = MergeShapes(said, known->shape);
    if (!shape.ok()) return OkStatus();  // reported at run time
    Attrs attrs = node.attrs();
    bool better = !(*shape == said);
    attrs.set("shape", *shape);
    if (RoleOf(node) == Role::kListStack && known->size >= 0 &&
        node.attrs().get<int64_t>("size") < 0) {
      attrs.set("size", known->size);
      better = true;
    }
    if (!better) return OkStatus();
    if (notes_) {
      notes_->push_back(StrCat("[", node.op().name, "] reads elements of ",
                               *shape, " ", NodeLine(node)));
    }
    std::vector<Value> inputs(node.inputs().begin(), node.inputs().end());
    return edit_.Rewrite(node, node.op().name, std::move(inputs), attrs);
  }

  Graph& graph_;
  std::vector<std::string>* notes_;
  BatchEdit edit_;
  ListElements elements_;
};

}  // namespace

Result<bool> RefineLists(Graph& graph, std::vector<std::string>* notes) {
  return Refiner(graph, notes).Run();
}

}  // namespace sluice
