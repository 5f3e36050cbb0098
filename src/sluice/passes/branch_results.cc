#include "sluice/passes/branch_results.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/passes/keep_results.h"
#include "sluice/passes/raw_region.h"
#include "sluice/passes/used_values.h"

namespace sluice {

namespace {

class BranchResults {
 public:
  BranchResults(Graph& graph, std::vector<std::string>* notes)
      : graph_(graph),
        notes_(notes),
        edit_(graph),
        used_(UsedRegionOutputs(graph)) {}

  Result<bool> Run() {
    SL_RETURN_IF_ERROR(Visit(graph_.root()));
    return edit_.Commit();
  }

 private:
  // From the outside in, so that a conditional is rebuilt in its final place.
  Status Visit(Region& region) {
    // Among primitives a node that owns regions is dead as a whole.
    bool raw = HasPrimitives(region);
    std::vector<Node*> nodes(region.nodes().begin(), region.nodes().end());
    for (Node* node : nodes) {
      edit_.Update(*node);
      if (!raw && node->op().flow == Flow::kBranch) {
        SL_RETURN_IF_ERROR(Simplify(*node));
      }
      for (const auto& inner : node->regions()) {
        SL_RETURN_IF_ERROR(Visit(*inner));
      }
    }
    return OkStatus();
  }

  Status Simplify(Node& branch) {
    std::vector<bool> keep;
    for (int i = 0; i < branch.num_outputs(); ++i) {
      bool used = used_.count(branch.output(i)) > 0;
      if (used) {
        if (Value same = SameInAll(branch, static_cast<size_t>(i))) {
          edit_.Replace(branch.output(i), same);
          used = false;
        }
      }
      keep.push_back(used);
    }
    auto dropped = std::count(keep.begin(), keep.end(), false);
    if (dropped == 0) return OkStatus();
    if (notes_) {
      notes_->push_back(StrCat("[", branch.op().name, "] gives ", dropped,
                               " results fewer ", NodeLine(branch)));
    }
    return KeepResults(graph_, edit_, branch, keep).status();
  }

  Value SameInAll(const Node& branch, size_t i) const {
    Value first = edit_.Resolve(branch.regions()[0]->results()[i]);
    if (!first.node->region()->Encloses(branch.region())) return {};
    for (const auto& region : branch.regions()) {
      if (edit_.Resolve(region->results()[i]) != first) return {};
    }
    return first;
  }

  Graph& graph_;
  std::vector<std::string>* notes_;
  BatchEdit edit_;
  ValueSet used_;
};

}  // namespace

Result<bool> SimplifyBranchResults(Graph& graph,
                                   std::vector<std::string>* notes) {
  return BranchResults(graph, notes).Run();
}

}  // namespace sluice
