#include "sluice/passes/carried_values.h"

#include <algorithm>
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/graph/traverse.h"
#include "sluice/passes/counted_loop.h"
#include "sluice/passes/keep_results.h"
#include "sluice/passes/may_move.h"
#include "sluice/passes/raw_region.h"
#include "sluice/passes/used_values.h"

namespace sluice {

namespace {

// The nodes and arguments of a loop's regions that something needs.
class Liveness {
 public:
  explicit Liveness(const Node& loop)
      : loop_(loop), needed_(static_cast<size_t>(loop.num_inputs()), false) {
    // Effects and the condition are needed whatever the results are used for.
    for (const auto& region : loop.regions()) {
      for (const Node* node : region->nodes()) {
        if (HasEffect(*node)) Need(*node);
      }
      for (const Node* target : region->targets()) Need(*target);
    }
    Need(loop.regions()[0]->results()[0]);
    Follow();
  }

  // The output is used, so the carried value is needed.
  void NeedCarried(size_t i) {
    if (!needed_[i]) NeedArg(i);
    Follow();
  }
  bool carried(size_t i) const { return needed_[i]; }
  bool node(const Node& node) const { return nodes_.count(&node) > 0; }

 private:
  void NeedArg(size_t i) {
    if (needed_[i]) return;
    needed_[i] = true;
    Need(loop_.regions()[1]->results()[i]);
  }
  void Need(const Value& v) {
    const Region* region = v.node->region();
    if (region->owner() != &loop_) return;  // from outside
    if (v.node->is_args()) {
      NeedArg(static_cast<size_t>(v.index));
    } else {
      Need(*v.node);
    }
  }
  void Need(const Node& node) {
    if (nodes_.insert(&node).second) todo_.push_back(&node);
  }
  void Follow() {
    while (!todo_.empty()) {
      const Node* node = todo_.back();
      todo_.pop_back();
      for (const Value& v : InputsWithCaptures(*node)) Need(v);
      NeedControls(*node);
    }
  }
  // The controls of the node and of all nodes inside it.
  void NeedControls(const Node& node) {
    for (const Node* c : node.controls()) {
      if (c->region()->owner() == &loop_) Need(*c);
    }
    for (const auto& region : node.regions()) {
      for (const Node* inner : region->nodes()) NeedControls(*inner);
    }
  }

  const Node& loop_;
  std::vector<bool> needed_;
  std::unordered_set<const Node*> nodes_;
  std::vector<const Node*> todo_;
};

class CarriedValues {
 public:
  CarriedValues(Graph& graph, std::vector<std::string>* notes)
      : graph_(graph),
        notes_(notes),
        edit_(graph),
        used_(UsedRegionOutputs(graph)) {}

  Result<bool> Run() {
    SL_RETURN_IF_ERROR(Visit(graph_.root()));
    return edit_.Commit();
  }

 private:
  // From the outside in, so that a loop is rebuilt in its final place.
  Status Visit(Region& region) {
    // Among primitives a node that owns regions is dead as a whole.
    bool raw = HasPrimitives(region);
    std::vector<Node*> nodes(region.nodes().begin(), region.nodes().end());
    for (Node* node : nodes) {
      if (edit_.erased(*node)) continue;
      edit_.Update(*node);
      if (!raw && node->op().flow == Flow::kLoop)
        SL_RETURN_IF_ERROR(Simplify(*node));
      for (const auto& inner : node->regions()) {
        SL_RETURN_IF_ERROR(Visit(*inner));
      }
    }
    return OkStatus();
  }

  // Whether the carried value has the same outer value in every iteration.
  bool Unchanged(const Node& loop, int i) const {
    const Region& body = *loop.regions()[1];
    Value next = edit_.Resolve(body.results()[static_cast<size_t>(i)]);
    return next == body.arg(i) || next == loop.input(i);
  }

  Status Simplify(Node& loop) {
    auto count = static_cast<size_t>(loop.num_outputs());
    std::vector<bool> unchanged(count), keep(count, true);
    bool stays = HasEffect(loop) || SurelyEnds(loop);
    for (size_t i = 0; i < count; ++i) {
      int k = static_cast<int>(i);
      unchanged[i] = Unchanged(loop, k);
      stays = stays || (used_.count(loop.output(k)) && !unchanged[i]);
    }
    for (size_t i = 0; i < count; ++i) {
      int k = static_cast<int>(i);
      bool used = used_.count(loop.output(k)) > 0;
      if (unchanged[i] && (stays || !used)) {
        keep[i] = false;
        if (used) edit_.Replace(loop.output(k), loop.input(k));
        for (const auto& region : loop.regions()) {
          edit_.Replace(region->arg(k), loop.input(k));
        }
      }
    }
    DropDead(loop, unchanged, keep);
    auto dropped = std::count(keep.begin(), keep.end(), false);
    if (dropped == 0) return OkStatus();
    if (notes_) {
      notes_->push_back(StrCat("[", loop.op().name, "] carries ", dropped,
                               " values fewer ", NodeLine(loop)));
    }
    return KeepResults(graph_, edit_, loop, keep).status();
  }

  // Removes unused carried values, and the nodes that only they need. Unchanged
  // values are not needed: they are read from outside.
  void DropDead(Node& loop, const std::vector<bool>& unchanged,
                std::vector<bool>& keep) {
    Liveness live(loop);
    for (size_t i = 0; i < keep.size(); ++i) {
      if (used_.count(loop.output(static_cast<int>(i)))) live.NeedCarried(i);
    }
    bool dropped = false;
    for (size_t i = 0; i < keep.size(); ++i) {
      if (!keep[i] || live.carried(i)) continue;
      keep[i] = false;
      dropped = dropped || !unchanged[i];
    }
    if (!dropped) return;
    for (const auto& region : loop.regions()) {
      for (Node* node : region->nodes()) {
        if (!live.node(*node)) edit_.Erase(*node);
      }
    }
  }

  Graph& graph_;
  std::vector<std::string>* notes_;
  BatchEdit edit_;
  ValueSet used_;
};

}  // namespace

Result<bool> DropCarriedValues(Graph& graph, std::vector<std::string>* notes) {
  return CarriedValues(graph, notes).Run();
}

}  // namespace sluice
