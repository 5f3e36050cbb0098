#include "sluice/passes/read_frame.h"

#include <algorithm>

namespace sluice {

namespace {

class Reader {
 public:
  Reader(const RawRegion& raw, const RawRegion::Frame& frame)
      : raw_(raw), frame_(frame) {}

  // Empty if the frame does not have the regular form.
  std::optional<RawLoop> Run() {
    bool good = frame_.regular && !frame_.exits.empty() && FindCond() &&
                FindCarried() && AliveTogether() && Sort() && Placed();
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

  // The only user of a node, or null.
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
        if (!FindConstantGates(*node)) return false;
        continue;
      }
      std::optional<RawLoop::Carried> carried = ReadCarried(*node);
      if (!carried) return false;
      loop_.carried.push_back(std::move(*carried));
    }
    // Every Merge, Switch, NextIteration and Exit belongs to one of them.
    size_t merges = 0, gates = loop_.constant_gates.size();
    std::unordered_set<const Node*> nexts;
    for (const RawLoop::Carried& c : loop_.carried) {
      loop_.exits.insert(loop_.exits.end(), c.exits.begin(), c.exits.end());
      gates += c.gates.size();
      nexts.insert(c.next);
    }
    for (const Node* node : frame_.nodes) {
      merges += node->op().flow == Flow::kMerge;
      gates -= node->op().flow == Flow::kSwitch;
      if (node->op().flow == Flow::kNextIteration && !nexts.count(node)) {
        return false;
      }
    }
    return merges == loop_.carried.size() && gates == 0 &&
           loop_.exits.size() == frame_.exits.size();
  }

  // A Switch that passes `v` into the body when the loop continues.
  bool IsGate(const Node& node, const Value& v) const {
    return node.op().flow == Flow::kSwitch && node.input(0) == v &&
           node.input(1) == loop_.cond->output() && node.controls().empty() &&
           !raw_.Asked(node);
  }

  // Constants need no gate, but may have one.
  bool FindConstantGates(Node& enter) {
    for (Node* user : raw_.users(enter)) {
      if (user->op().flow != Flow::kSwitch) continue;
      if (!IsGate(*user, enter.output())) return false;
      for (const Node* reader : raw_.users(*user)) {
        if (raw_.Reads(*reader, user->output(0)) ||
            reader->op().flow == Flow::kExit) {
          return false;
        }
      }
      loop_.constant_gates.push_back(user);
    }
    return true;
  }

  // All entering values must be alive or dead together: a While is dead as a
  // whole.
  bool AliveTogether() const {
    if (loop_.carried.empty()) return false;
    Value first = loop_.carried[0].enter->input(0);
    for (const RawLoop::Carried& c : loop_.carried) {
      const Value& init = c.enter->input(0);
      if (!raw_.AliveWith(init, first) || !raw_.AliveWith(first, init)) {
        return false;
      }
    }
    return std::all_of(
        loop_.constants.begin(), loop_.constants.end(),
        [&](Node* enter) { return raw_.AliveWith(enter->input(0), first); });
  }

  std::optional<RawLoop::Carried> ReadCarried(Node& enter) const {
    RawLoop::Carried c{&enter, OnlyUser(enter), nullptr, {}, {}};
    if (!c.merge || c.merge->op().flow != Flow::kMerge ||
        c.merge->num_inputs() != 2 || raw_.Asked(*c.merge) ||
        !c.merge->controls().empty()) {
      return std::nullopt;
    }
    int from = c.merge->input(0).node == &enter ? 0 : 1;
    c.next = c.merge->input(1 - from).node;
    if (c.next->op().flow != Flow::kNextIteration || raw_.Asked(*c.next) ||
        !c.next->controls().empty()) {
      return std::nullopt;
    }
    for (const Node* user : raw_.users(*c.next)) {
      if (user->op().flow != Flow::kMerge || Foreign(*user)) {
        return std::nullopt;
      }
    }
    for (Node* user : raw_.users(*c.merge)) {
      if (raw_.Reads(*user, c.merge->output(1))) return std::nullopt;
      if (user->op().flow != Flow::kSwitch) continue;
      if (!IsGate(*user, c.merge->output(0)) || !ReadGate(*user, c)) {
        return std::nullopt;
      }
    }
    return c;
  }

  bool ReadGate(Node& gate, RawLoop::Carried& c) const {
    for (Node* user : raw_.users(gate)) {
      bool leaves = user->op().flow == Flow::kExit;
      if (leaves != raw_.Reads(*user, gate.output(0))) return false;
      if (!leaves) continue;
      if (!user->controls().empty()) return false;
      c.exits.push_back(user);
    }
    c.gates.push_back(&gate);
    return true;
  }

  // Determines the nodes that run only when the loop continues: those that
  // depend on a gate. The others run once more and must not read them: the
  // condition and the body of a While see no values of each other.
  bool Sort() {
    std::unordered_set<const Node*> gated;
    std::vector<const Node*> todo;
    todo.assign(loop_.constant_gates.begin(), loop_.constant_gates.end());
    for (const RawLoop::Carried& c : loop_.carried) {
      todo.insert(todo.end(), c.gates.begin(), c.gates.end());
    }
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
        // The condition comes before the body, whatever it waits for.
        if (user == loop_.cond || Foreign(*user)) return false;
      }
    }
    // The predicate and carried values must be values, not additional
    // primitives that only look like them.
    for (const Node* user : raw_.users(*loop_.cond)) {
      if (user->op().flow != Flow::kSwitch &&
          raw_.Reads(*user, Value{loop_.cond, 0})) {
        return false;
      }
    }
    return GoodSource(loop_.cond->input(0), false) && NextsAreGood();
  }

  // True for a constant that waits for a node of the loop only to be in it, and
  // that only the body reads.
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
    return std::all_of(loop_.carried.begin(), loop_.carried.end(),
                       [&](const RawLoop::Carried& c) {
                         return GoodSource(c.next->input(0), true) &&
                                !Foreign(*c.next);
                       });
  }

  // A value that a region can return: computed in the frame, carried, a
  // constant of the loop, or a plain constant.
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

  // Runs in another frame, and is not an Exit of this one.
  bool Foreign(const Node& node) const {
    if (node.op().flow == Flow::kEnter) return true;
    if (node.op().flow == Flow::kExit) {
      return std::find(frame_.exits.begin(), frame_.exits.end(), &node) ==
             frame_.exits.end();
    }
    return raw_.frame(node) != raw_.frame(*loop_.cond);
  }

  // The While takes the place of the first Exit: below everything it reads,
  // above all its readers.
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
    // Outer constants may be used directly.
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
  RawLoop loop_;
};

}  // namespace

std::optional<RawLoop> ReadFrame(const RawRegion& raw,
                                 const RawRegion::Frame& frame) {
  return Reader(raw, frame).Run();
}

}  // namespace sluice
