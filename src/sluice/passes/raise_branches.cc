#include "sluice/passes/raise_branches.h"

#include <algorithm>
#include <map>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

enum Side { kElse = 0, kThen = 1, kNeither = -1 };

// Connected nodes behind the Switches of one predicate.
struct Diamond {
  Value pred;
  std::vector<Node*> switches, inner[2], merges;  // in program order
  bool regular = true;

  std::vector<Node*> AllNodes() const {
    std::vector<Node*> all = switches;
    for (const auto* part : {&inner[0], &inner[1], &merges}) {
      all.insert(all.end(), part->begin(), part->end());
    }
    return all;
  }
};

// Follows the values of the Switches of one predicate until they are merged.
class Search {
 public:
  Search(const RawRegion& raw, Value pred) : raw_(raw), pred_(pred) {}

  std::vector<Diamond> Run(const std::vector<Node*>& switches) {
    for (Node* node : switches) Add(*node, kNeither);
    for (size_t i = 0; i < todo_.size(); ++i) Follow(*todo_[i]);
    return Collect();
  }

 private:
  bool IsOwnSwitch(const Node& node) const {
    return node.op().flow == Flow::kSwitch && node.input(1) == pred_;
  }

  void Add(Node& node, Side side) {
    auto [it, made] = side_.try_emplace(&node, side);
    if (made) {
      todo_.push_back(&node);
      parent_[&node] = &node;
    } else if (it->second != side) {
      bad_.insert(&node);
    }
  }

  // The side of a value, as far as it is known so far.
  Side SideOf(const Value& v) const {
    auto it = side_.find(v.node);
    if (it == side_.end()) return kNeither;
    return IsOwnSwitch(*v.node) ? static_cast<Side>(v.index) : it->second;
  }

  void Follow(Node& node) {
    if (node.op().flow == Flow::kMerge) return;
    for (Node* user : raw_.users(node)) {
      Side side = side_.at(&node);
      if (IsOwnSwitch(node)) {
        bool on[2];
        for (int i : {0, 1}) on[i] = raw_.Reads(*user, node.output(i));
        if (user->op().flow != Flow::kMerge && on[0] && on[1]) {
          bad_.insert(&node);
        }
        if (!on[0] && !on[1]) continue;  // waits for it, on neither side
        side = on[1] ? kThen : kElse;
      }
      if (user->op().flow == Flow::kMerge) {
        side = kNeither;
      } else if (IsPrimitive(*user)) {
        bad_.insert(&node);  // raised first, or not at all
        continue;
      }
      Add(*user, side);
      Join(node, *user);
    }
  }

  // The representative of a node's diamond.
  const Node* Root(const Node* node) {
    while (parent_.at(node) != node) {
      node = parent_[node] = parent_.at(parent_.at(node));
    }
    return node;
  }
  void Join(const Node& a, const Node& b) { parent_[Root(&a)] = Root(&b); }

  std::vector<Diamond> Collect() {
    auto by_place = [&](const Node* a, const Node* b) {
      return raw_.place(*a) < raw_.place(*b);
    };
    std::sort(todo_.begin(), todo_.end(), by_place);
    std::vector<Diamond> diamonds;
    std::map<const Node*, size_t> index;
    for (Node* node : todo_) {
      auto [it, made] = index.try_emplace(Root(node), diamonds.size());
      if (made) diamonds.emplace_back().pred = pred_;
      Diamond& diamond = diamonds[it->second];
      if (bad_.count(node)) diamond.regular = false;
      if (IsOwnSwitch(*node)) {
        diamond.switches.push_back(node);
      } else if (node->op().flow == Flow::kMerge) {
        diamond.merges.push_back(node);
        if (!Joins(*node)) diamond.regular = false;
      } else {
        diamond.inner[side_.at(node)].push_back(node);
      }
    }
    return diamonds;
  }

  bool Joins(const Node& merge) const {
    return merge.num_inputs() == 2 && merge.controls().empty() &&
           SideOf(merge.input(0)) != kNeither &&
           SideOf(merge.input(1)) != kNeither &&
           SideOf(merge.input(0)) != SideOf(merge.input(1));
  }

  const RawRegion& raw_;
  Value pred_;
  std::vector<Node*> todo_;
  std::map<const Node*, Side> side_;
  std::map<const Node*, const Node*> parent_;
  std::unordered_set<const Node*> bad_;
};

class Raiser {
 public:
  Raiser(Graph& graph, BatchEdit& edit, const RawRegion& raw,
         std::vector<std::string>* notes)
      : graph_(graph), edit_(edit), raw_(raw), notes_(notes) {}

  Status Run() {
    // By predicate, in the order of the first Switch.
    std::vector<Value> preds;
    std::unordered_map<Value, std::vector<Node*>, ValueHash> switches;
    for (Node* node : raw_.region().nodes()) {
      if (node->op().flow != Flow::kSwitch) continue;
      Value pred = node->input(1);
      if (pred.node->op().flow == Flow::kLoopCond) continue;
      if (switches[pred].empty()) preds.push_back(pred);
      switches[pred].push_back(node);
    }
    for (const Value& pred : preds) {
      for (Diamond& diamond : Search(raw_, pred).Run(switches[pred])) {
        if (Regular(diamond)) SL_RETURN_IF_ERROR(Raise(diamond));
      }
    }
    return OkStatus();
  }

 private:
  // The position of the If: that of the first Merge, or of the last Switch.
  static Node& PlaceOf(const Diamond& d) {
    return d.merges.empty() ? *d.switches.back() : *d.merges.front();
  }

  bool Regular(const Diamond& d) const {
    bool empty = d.merges.empty() && d.inner[0].empty() && d.inner[1].empty();
    if (!d.regular || d.switches.empty() || empty) return false;
    Node& place = PlaceOf(d);
    int at = raw_.place(place);
    std::vector<Node*> all = d.AllNodes();
    std::unordered_set<const Node*> own(all.begin(), all.end());
    // A dead value read in one branch must not make the whole If dead.
    auto alive = [&](const Value& v) { return raw_.AliveWith(v, d.pred); };
    auto above = [&](const Node* before) {
      return before->region() != &raw_.region() || before->is_args() ||
             (!own.count(before) && raw_.place(*before) < at);
    };
    if (!above(d.pred.node)) return false;
    for (const Node* node : d.switches) {
      if (!node->controls().empty() || raw_.Asked(*node) ||
          !above(node->input(0).node) || !alive(node->input(0))) {
        return false;
      }
    }
    for (const auto& side : d.inner) {
      for (const Node* node : side) {
        if (raw_.Asked(*node)) return false;
        for (const Value& v : raw_.reads(*node)) {
          if (own.count(v.node)) continue;
          if (!above(v.node) || !alive(v)) return false;
        }
        for (const Node* control : node->controls()) {
          if (!own.count(control)) return false;
        }
      }
    }
    for (Node* merge : d.merges) {
      if (IndexUsed(*merge)) return false;
      for (const Node* user : raw_.users(*merge)) {
        if (raw_.place(*user) < at) return false;
      }
    }
    return !raw_.EffectsBetween(all, place);
  }

  bool IndexUsed(Node& merge) const {
    for (const Node* user : raw_.users(merge)) {
      if (raw_.Reads(*user, merge.output(1))) return true;
    }
    for (const Value& v : raw_.region().results()) {
      if (v == merge.output(1)) return true;
    }
    return false;
  }

  Status Raise(const Diamond& d) {
    std::vector<DType> dtypes;
    std::vector<ValueType> types;
    for (const Node* merge : d.merges) {
      types.push_back(merge->output_type(0));
      dtypes.push_back(types.back().dtype);
    }
    NodeOptions options;
    options.name_hint = StrCat(d.switches.front()->name(), "/If");
    options.line = d.switches.front()->line();
    options.device = d.switches.front()->device();
    SL_ASSIGN_OR_RETURN(Node * branch,
                        graph_.Add(raw_.region(), "If", std::vector{d.pred},
                                   {{"dtypes", dtypes}}, options));
    graph_.SetOutputs(*branch, types);
    for (Side side : {kThen, kElse}) {
      SL_ASSIGN_OR_RETURN(
          Region * region,
          graph_.AddRegion(*branch, side == kThen ? "then" : "else"));
      for (Node* node : d.inner[side]) edit_.MoveToEnd(*node, *region);
      std::vector<Value> results;
      for (const Node* merge : d.merges) {
        results.push_back(merge->input(Given(d, *merge, side)));
      }
      graph_.SetResults(*region, std::move(results));
    }
    if (notes_) {
      notes_->push_back(StrCat(d.switches.size(), " Switch and ",
                               d.merges.size(), " Merge became an If ",
                               NodeLine(*d.switches.front())));
    }
    Node& place = PlaceOf(d);
    if (d.merges.empty()) {
      edit_.MoveBefore(*branch, place);
    } else {
      edit_.TakeOver(*branch, place);
    }
    for (size_t i = 0; i < d.merges.size(); ++i) {
      edit_.Replace(d.merges[i]->output(0),
                    branch->output(static_cast<int>(i)));
      if (d.merges[i] == &place) continue;
      edit_.ReplaceControl(*d.merges[i], {branch});
      edit_.Erase(*d.merges[i]);
    }
    // Inside a branch the value is available directly.
    for (Node* node : d.switches) {
      for (int i : {0, 1}) edit_.Replace(node->output(i), node->input(0));
      edit_.ReplaceControl(*node, {node->input(0).node, d.pred.node});
      edit_.Erase(*node);
    }
    return OkStatus();
  }

  // The Merge input that comes from that side.
  static int Given(const Diamond& d, const Node& merge, Side side) {
    const Value& v = merge.input(0);
    auto& then = d.inner[kThen];
    bool from_switch = std::find(d.switches.begin(), d.switches.end(),
                                 v.node) != d.switches.end();
    bool is_then =
        from_switch ? v.index == kThen
                    : std::find(then.begin(), then.end(), v.node) != then.end();
    return is_then == (side == kThen) ? 0 : 1;
  }

  Graph& graph_;
  BatchEdit& edit_;
  const RawRegion& raw_;
  std::vector<std::string>* notes_;
};

}  // namespace

Status RaiseBranches(Graph& graph, BatchEdit& edit, const RawRegion& raw,
                     std::vector<std::string>* notes) {
  return Raiser(graph, edit, raw, notes).Run();
}

}  // namespace sluice
