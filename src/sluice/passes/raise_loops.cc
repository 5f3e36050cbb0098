#include "sluice/passes/raise_loops.h"

#include <algorithm>
#include <optional>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

// A value that changes from one iteration to the next.
struct Carried {
  Node *enter, *merge, *gate, *next;  // gate: its Switch
  std::vector<Node*> exits;
};

struct Loop {
  Node* cond = nullptr;  // the LoopCond
  std::vector<Carried> carried;
  std::vector<Node*> constants;   // Enters
  std::vector<Node*> head, body;  // run to decide, run when decided
  std::vector<Node*> exits;
};

class Reader {
 public:
  Reader(const RawRegion& raw, const RawRegion::Frame& frame)
      : raw_(raw), frame_(frame) {}

  // Nothing when the frame is not of the regular form.
  std::optional<Loop> Run() {
    bool good = frame_.regular && !frame_.exits.empty() && FindCond() &&
                FindCarried() && Sort() && Placed();
    if (!good) return std::nullopt;
    return std::move(loop_);
  }

 private:
  bool FindCond() {
    for (Node* node : frame_.nodes) {
      if (node->op().flow != Flow::kLoopCond) continue;
      if (loop_.cond) return false;
      loop_.cond = node;
    }
    return loop_.cond && !raw_.Asked(*loop_.cond);
  }

  // The one user of a node, when there is one.
  Node* OnlyUser(const Node& node) const {
    const std::vector<Node*>& users = raw_.users(node);
    return users.size() == 1 && !raw_.Asked(node) ? users[0] : nullptr;
  }

  bool FindCarried() {
    int64_t parallel = -1;
    for (Node* node : frame_.nodes) {
      if (node->op().flow != Flow::kEnter) continue;
      auto own = node->attrs().get<int64_t>("parallel");
      if (parallel >= 0 && parallel != own) return false;
      parallel = own;
      if (!node->controls().empty() || raw_.Asked(*node)) return false;
      if (node->attrs().get<bool>("constant")) {
        loop_.constants.push_back(node);
        continue;
      }
      std::optional<Carried> carried = ReadCarried(*node);
      if (!carried) return false;
      loop_.carried.push_back(std::move(*carried));
    }
    // Every Merge, Switch, NextIteration and Exit belongs to one of them.
    size_t merges = 0, gates = 0, nexts = 0;
    for (const Node* node : frame_.nodes) {
      merges += node->op().flow == Flow::kMerge;
      gates += node->op().flow == Flow::kSwitch;
      nexts += node->op().flow == Flow::kNextIteration;
    }
    for (const Carried& c : loop_.carried) {
      loop_.exits.insert(loop_.exits.end(), c.exits.begin(), c.exits.end());
    }
    size_t count = loop_.carried.size();
    return merges == count && gates == count && nexts == count &&
           loop_.exits.size() == frame_.exits.size();
  }

  std::optional<Carried> ReadCarried(Node& enter) const {
    Carried c{&enter, OnlyUser(enter), nullptr, nullptr, {}};
    if (!c.merge || c.merge->op().flow != Flow::kMerge ||
        c.merge->num_inputs() != 2 || raw_.Asked(*c.merge) ||
        !c.merge->controls().empty()) {
      return std::nullopt;
    }
    int from = c.merge->input(0).node == &enter ? 0 : 1;
    c.next = c.merge->input(1 - from).node;
    if (c.next->op().flow != Flow::kNextIteration ||
        OnlyUser(*c.next) != c.merge || !c.next->controls().empty()) {
      return std::nullopt;
    }
    for (Node* user : raw_.users(*c.merge)) {
      if (raw_.Reads(*user, c.merge->output(1))) return std::nullopt;
      if (user->op().flow != Flow::kSwitch) continue;
      if (c.gate || user->input(0) != c.merge->output(0) ||
          user->input(1) != loop_.cond->output() || !user->controls().empty() ||
          raw_.Asked(*user)) {
        return std::nullopt;
      }
      c.gate = user;
    }
    if (!c.gate) return std::nullopt;
    for (Node* user : raw_.users(*c.gate)) {
      bool leaves = user->op().flow == Flow::kExit;
      if (leaves != raw_.Reads(*user, c.gate->output(0))) return std::nullopt;
      if (!leaves) continue;
      if (!user->controls().empty()) return std::nullopt;
      c.exits.push_back(user);
    }
    return c;
  }

  // Which nodes run only when the loop goes on: what depends on a gate. The
  // others run once more than they, and must not be read by them: the
  // condition and the body of a While see no values of each other.
  bool Sort() {
    std::unordered_set<const Node*> gated;
    std::vector<const Node*> todo;
    for (const Carried& c : loop_.carried) todo.push_back(c.gate);
    for (size_t i = 0; i < todo.size(); ++i) {
      for (Node* user : raw_.users(*todo[i])) {
        bool passes_on = !IsPrimitive(*user);
        bool reads_gate =
            todo[i]->op().flow != Flow::kSwitch ||
            raw_.Reads(*user, Value{const_cast<Node*>(todo[i]), 1});
        if (passes_on && reads_gate && gated.insert(user).second) {
          todo.push_back(user);
        }
      }
    }
    for (Node* node : frame_.nodes) {
      if (IsPrimitive(*node)) {
        if (node->op().flow == Flow::kTrigger) return false;
        continue;
      }
      if (raw_.Asked(*node)) return false;
      if (node->num_outputs() == 1 && ConstantValue(node->output()) &&
          OnlyFor(*node, gated)) {
        gated.insert(node);
      }
      (gated.count(node) ? loop_.body : loop_.head).push_back(node);
    }
    for (const Node* node : loop_.head) {
      for (const Node* user : raw_.users(*node)) {
        if (user != loop_.cond && (gated.count(user) || Foreign(*user) ||
                                   user->op().flow == Flow::kNextIteration)) {
          return false;
        }
      }
    }
    for (const Node* node : loop_.body) {
      for (const Node* user : raw_.users(*node)) {
        // The condition is there before the body, whatever it waits for.
        if (user == loop_.cond || Foreign(*user)) return false;
      }
    }
    // The predicate and what is handed on are values, not primitives of their
    // own that only look like them.
    for (const Node* user : raw_.users(*loop_.cond)) {
      if (user->op().flow != Flow::kSwitch &&
          raw_.Reads(*user, Value{loop_.cond, 0})) {
        return false;
      }
    }
    return GoodSource(loop_.cond->input(0), false) && NextsAreGood();
  }

  // True of a constant that waits for something of the loop only to be in it,
  // and that the body alone reads.
  bool OnlyFor(const Node& node,
               const std::unordered_set<const Node*>& gated) const {
    for (const Node* user : raw_.users(node)) {
      if (!gated.count(user) && user->op().flow != Flow::kNextIteration) {
        return false;
      }
    }
    return true;
  }

  bool NextsAreGood() const {
    return std::all_of(
        loop_.carried.begin(), loop_.carried.end(), [&](const Carried& c) {
          return GoodSource(c.next->input(0), true) && !Foreign(*c.next);
        });
  }

  // A value that a region can give: computed in the frame, carried, a constant
  // of the loop, or a plain constant.
  bool GoodSource(const Value& v, bool in_body) const {
    switch (v.node->op().flow) {
      case Flow::kSwitch:
        return in_body && v.index == 1;
      case Flow::kEnter:
        return v.node->attrs().get<bool>("constant");
      default:
        return v.node->op().flow == Flow::kMerge || !IsPrimitive(*v.node);
    }
  }

  // Runs in another frame than this, and is no Exit of this one.
  bool Foreign(const Node& node) const {
    if (node.op().flow == Flow::kEnter) return true;
    if (node.op().flow == Flow::kExit) {
      return std::find(frame_.exits.begin(), frame_.exits.end(), &node) ==
             frame_.exits.end();
    }
    return raw_.frame(node) != raw_.frame(*loop_.cond);
  }

  // The While stands where the first Exit stood: below all it reads, above all
  // that reads it.
  bool Placed() const {
    const Node& place = *frame_.exits.front();
    int at = raw_.place(place);
    for (const Node* node : frame_.nodes) {
      if (node->op().flow != Flow::kEnter) continue;
      const Node* given = node->input(0).node;
      if (given->region() == &raw_.region() && !given->is_args() &&
          raw_.place(*given) > at) {
        return false;
      }
    }
    for (const Node* exit : frame_.exits) {
      for (const Node* user : raw_.users(*exit)) {
        if (raw_.place(*user) < at) return false;
      }
    }
    // Constants from outside may be used as they are.
    for (const auto* part : {&loop_.head, &loop_.body}) {
      for (const Node* node : *part) {
        for (const Value& v : raw_.reads(*node)) {
          if (v.node->region() == &raw_.region() && !v.node->is_args() &&
              raw_.frame(*v.node) == RawRegion::kNoFrame &&
              raw_.place(*v.node) > at) {
            return false;
          }
        }
      }
    }
    return !raw_.EffectsBetween(frame_.nodes, place);
  }

  const RawRegion& raw_;
  const RawRegion::Frame& frame_;
  Loop loop_;
};

class Raiser {
 public:
  Raiser(Graph& graph, BatchEdit& edit, const RawRegion& raw,
         std::vector<std::string>* notes)
      : graph_(graph), edit_(edit), raw_(raw), notes_(notes) {}

  Status Run() {
    for (const RawRegion::Frame& frame : raw_.frames()) {
      if (frame.parent == RawRegion::kNoFrame) continue;
      if (std::optional<Loop> loop = Reader(raw_, frame).Run()) {
        SL_RETURN_IF_ERROR(Raise(frame, *loop));
      }
    }
    return OkStatus();
  }

 private:
  Status Raise(const RawRegion::Frame& frame, Loop& loop) {
    std::vector<Value> inputs;
    std::vector<DType> dtypes;
    std::vector<ValueType> types;
    for (const Carried& c : loop.carried) {
      inputs.push_back(c.enter->input(0));
      types.push_back(c.merge->output_type(0));
      dtypes.push_back(types.back().dtype);
    }
    Node& place = *frame.exits.front();
    NodeOptions options;
    options.name_hint = frame.name;
    options.line = loop.cond->line();
    options.key = NodeKey(frame.name);
    auto parallel =
        loop.carried.front().enter->attrs().get<int64_t>("parallel");
    SL_ASSIGN_OR_RETURN(
        Node * made,
        graph_.Add(raw_.region(), "While", inputs,
                   {{"dtypes", dtypes}, {"parallel", parallel}}, options));
    graph_.SetOutputs(*made, types);
    SL_ASSIGN_OR_RETURN(Region * cond, AddRegion(*made, "cond", types));
    SL_ASSIGN_OR_RETURN(Region * body, AddRegion(*made, "body", types));
    Fill(loop, *cond, *body);
    if (notes_) {
      notes_->push_back(StrCat("the frame \"", frame.name, "\" of ",
                               frame.nodes.size(), " nodes became a While ",
                               NodeLine(*loop.cond)));
    }
    edit_.MoveBefore(*made, place);
    for (size_t i = 0; i < loop.carried.size(); ++i) {
      for (Node* exit : loop.carried[i].exits) {
        edit_.Replace(exit->output(), made->output(static_cast<int>(i)));
        edit_.ReplaceControl(*exit, {made});
        edit_.Erase(*exit);
      }
    }
    return OkStatus();
  }

  Result<Region*> AddRegion(Node& loop, std::string_view label,
                            const std::vector<ValueType>& types) {
    SL_ASSIGN_OR_RETURN(Region * region, graph_.AddRegion(loop, label));
    for (size_t i = 0; i < types.size(); ++i) {
      SL_RETURN_IF_ERROR(
          graph_.AddArg(*region, StrCat("v", i), types[i]).status());
    }
    return region;
  }

  void Fill(Loop& loop, Region& cond, Region& body) {
    std::vector<Value> results;
    for (size_t i = 0; i < loop.carried.size(); ++i) {
      const Carried& c = loop.carried[i];
      int k = static_cast<int>(i);
      // The body may read a value before its gate: there it is the same.
      in_body_[c.merge->output(0)] = body.arg(k);
      edit_.Replace(c.merge->output(0), cond.arg(k));
      edit_.Replace(c.gate->output(1), body.arg(k));
      results.push_back(c.next->input(0));
    }
    for (Value& v : results) v = InBody(v);
    for (Node* enter : loop.constants) {
      edit_.Replace(enter->output(), enter->input(0));
    }
    for (Node* node : loop.head) edit_.MoveToEnd(*node, cond);
    std::unordered_set<const Node*> own(loop.body.begin(), loop.body.end());
    for (Node* node : loop.body) {
      ReadInBody(*node);
      edit_.MoveToEnd(*node, body);
      // The condition has been there before.
      std::vector<Node*> controls(node->controls().begin(),
                                  node->controls().end());
      for (Node* control : controls) {
        if (!own.count(control)) graph_.RemoveControl(*node, *control);
      }
    }
    graph_.SetResults(cond, {loop.cond->input(0)});
    graph_.SetResults(body, std::move(results));
    std::vector<Node*> gone{loop.cond};
    gone.insert(gone.end(), loop.constants.begin(), loop.constants.end());
    for (const Carried& c : loop.carried) {
      gone.insert(gone.end(), {c.enter, c.merge, c.gate, c.next});
    }
    for (Node* node : gone) {
      edit_.ReplaceControl(*node, {});
      edit_.Erase(*node);
    }
  }

  Value InBody(const Value& v) const {
    auto it = in_body_.find(v);
    return it == in_body_.end() ? v : it->second;
  }
  // The node and all inside it.
  void ReadInBody(Node& node) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      Value v = InBody(node.input(i));
      if (v != node.input(i)) graph_.SetInput(node, i, v);
    }
    for (const auto& region : node.regions()) {
      std::vector<Value> results;
      for (const Value& v : region->results()) results.push_back(InBody(v));
      graph_.SetResults(*region, std::move(results));
      for (Node* inner : region->nodes()) ReadInBody(*inner);
    }
  }

  Graph& graph_;
  BatchEdit& edit_;
  const RawRegion& raw_;
  std::vector<std::string>* notes_;
  Graph::ValueMap in_body_;
};

}  // namespace

Status RaiseLoops(Graph& graph, BatchEdit& edit, const RawRegion& raw,
                  std::vector<std::string>* notes) {
  return Raiser(graph, edit, raw, notes).Run();
}

}  // namespace sluice
