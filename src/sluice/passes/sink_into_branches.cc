#include "sluice/passes/sink_into_branches.h"

#include <map>
#include <unordered_map>

#include "sluice/base/strings.h"
#include "sluice/graph/batch_edit.h"
#include "sluice/passes/may_move.h"

namespace sluice {

namespace {

class Sinker {
 public:
  Sinker(Graph& graph, std::vector<std::string>* notes)
      : graph_(graph), notes_(notes), edit_(graph) {
    FindResults(graph.root());
  }

  bool Run() {
    Visit(graph_.root());
    for (const auto& [region, count] : sunk_) {
      if (!notes_) break;
      notes_->push_back(StrCat(count, " nodes are computed only in ",
                               region->label(), " of the conditional ",
                               NodeLine(*region->owner())));
    }
    return edit_.Commit();
  }

 private:
  void FindResults(const Region& region) {
    for (const Value& v : region.results())
      given_by_[v.node].push_back(&region);
    for (const Node* node : region.nodes()) {
      for (const auto& inner : node->regions()) FindResults(*inner);
    }
  }

  // Users come before their inputs, which may then follow them.
  void Visit(Region& region) {
    for (auto it = region.nodes().rbegin(); it != region.nodes().rend(); ++it) {
      Node& node = **it;
      for (const auto& inner : node.regions()) Visit(*inner);
      Region* branch = OnlyBranch(node);
      if (branch == node.region() || !MayMove(node)) continue;
      edit_.MoveToFront(node, *branch);
      ++sunk_[branch];
    }
  }

  // A constant costs nothing in place.
  bool MayMove(const Node& node) const {
    return node.num_inputs() > 0 && node.controls().empty() &&
           !edit_.is_target(node) && !BatchEdit::HasControlUser(node) &&
           CannotFail(node);
  }

  // The innermost region that contains all uses and is entered from the node's
  // region through branches only.
  Region* OnlyBranch(const Node& node) const {
    std::vector<const Region*> uses;
    for (const Node* user : node.users()) {
      if (user->region() == node.region()) return node.region();
      uses.push_back(user->region());
    }
    auto given = given_by_.find(&node);
    if (given != given_by_.end()) {
      uses.insert(uses.end(), given->second.begin(), given->second.end());
    }
    Region* found = node.region();
    while (Region* next = CommonBranch(*found, uses)) found = next;
    return found;
  }

  // The branch directly inside `around` that contains all these regions, or
  // null.
  static Region* CommonBranch(const Region& around,
                              const std::vector<const Region*>& uses) {
    const Region* common = nullptr;
    for (const Region* region : uses) {
      while (region != &around && region->parent() != &around) {
        region = region->parent();
      }
      if (region == &around || (common && region != common)) return nullptr;
      common = region;
    }
    if (!common || common->owner()->op().flow != Flow::kBranch) return nullptr;
    for (const auto& region : common->owner()->regions()) {
      if (region.get() == common) return region.get();
    }
    return nullptr;
  }

  struct ByOwner {
    bool operator()(const Region* a, const Region* b) const {
      int ia = a->owner()->id(), ib = b->owner()->id();
      return ia == ib ? a->label() < b->label() : ia < ib;
    }
  };

  Graph& graph_;
  std::vector<std::string>* notes_;
  BatchEdit edit_;
  std::unordered_map<const Node*, std::vector<const Region*>> given_by_;
  std::map<const Region*, int, ByOwner> sunk_;
};

}  // namespace

Result<bool> SinkIntoBranches(Graph& graph, std::vector<std::string>* notes) {
  return Sinker(graph, notes).Run();
}

}  // namespace sluice
