#include "sluice/vm/schedule.h"

#include <algorithm>
#include <unordered_map>

#include "sluice/graph/effects.h"
#include "sluice/op/elementwise_kernel.h"
#include "sluice/tape/islands.h"

namespace sluice {

namespace {

// Whether it must keep its place, because it is observable when it runs. A
// write need not: only nodes that access the same resource see it, and they
// wait for it by effect edges. So the computations for several writes stay
// together.
bool KeepsPlace(const Node& node) {
  const OpRecord& op = node.op();
  return op.flow != Flow::kNone || !node.regions().empty() || op.stateful ||
         op.async() || !op.global_effect.empty();
}

class Scheduler {
 public:
  Scheduler(const Region& region, const VmValues& values, bool tapes)
      : values_(values), tapes_(tapes) {
    for (const EffectEdge& e : EffectEdges(region)) {
      after_[e.after].push_back(e.before);
    }
  }

  std::vector<VmStretch> Run(const std::vector<Node*>& order) {
    std::vector<Node*> free;
    for (Node* node : order) {
      if (!node->is_args() && node->num_outputs() == 1 &&
          VmConstant(node->output(0))) {
        continue;
      }
      if (!KeepsPlace(*node)) {
        free.push_back(node);
        continue;
      }
      Gather(free);
      free.clear();
      out_.push_back({{node}, "keeps its place among effects"});
    }
    Gather(free);
    return std::move(out_);
  }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);
  struct Place {
    size_t order = 0;  // program order
    size_t depth = 0;
    std::string why;        // empty: for a tape
    size_t latest = kNone;  // maximum depth allowed by the nodes that wait for
                            // it
    size_t reader = kNone;  // the first tape that reads it
  };
  using Places = std::unordered_map<const Node*, Place>;

  static size_t Crossing(const Place& a, const Place& b) {
    return a.why.empty() != b.why.empty() ? 1 : 0;
  }

  // The positions of the nodes that a node waits for, within this list.
  template <class F>
  void ForEachBefore(const Node& node, Places& place, F f) {
    auto wait = [&](const Node* before) {
      auto it = place.find(before);
      if (it != place.end() && before != &node) f(it->second);
    };
    for (const Value& v : node.inputs()) wait(v.node);
    for (Node* control : node.controls()) wait(control);
    for (Node* before : after_[&node]) {
      wait(before);
      // A write is done in place once nobody needs the previously read value.
      if (before->op().effect != Effect::kRead) continue;
      for (Node* user : before->users()) {
        auto it = place.find(user);
        if (it != place.end() && it->second.order < place.at(&node).order) {
          f(it->second);
        }
      }
    }
  }

  std::string WhyNot(const Node& node) const {
    if (!tapes_) return "fusion is off";
    if (values_.computed_in_cell(node) || values_.renames_cell(node) ||
        values_.asserts_cell(node) || values_.rows().how(node)) {
      return "cell";
    }
    return WhyNotInIsland(node);
  }

  // One or two elementwise ops on short rows run in place faster than a tape
  // starts.
  static bool BetterAlone(const std::vector<Node*>& nodes) {
    return nodes.size() <= 2 &&
           std::all_of(nodes.begin(), nodes.end(), [](const Node* node) {
             const PartialShape& shape = node->output_type(0).shape;
             return node->op().block && node->op().shape == shapes::broadcast &&
                    shape.ToShape().num_elements() <= kShortRow;
           });
  }

  // Depth counts how often a path has alternated between nodes for tapes and
  // others; nodes for tapes with equal depth can run together, and deeper ones
  // after shallower ones.
  void Gather(const std::vector<Node*>& nodes) {
    Places place;
    for (Node* node : nodes) {
      place[node] = {.order = place.size(), .why = WhyNot(*node)};
    }
    // A view without readers on the tape would be copied out of it.
    for (size_t i = nodes.size(); i-- > 0;) {
      Place& p = place[nodes[i]];
      if (!p.why.empty() || !nodes[i]->op().view) continue;
      auto users = nodes[i]->users();
      bool read = std::any_of(users.begin(), users.end(), [&](Node* user) {
        auto it = place.find(user);
        return it != place.end() && it->second.why.empty();
      });
      if (!read) p.why = "a view that leaves the tape";
    }
    for (Node* node : nodes) {
      Place& p = place[node];
      ForEachBefore(*node, place, [&](const Place& before) {
        p.depth = std::max(p.depth, before.depth + Crossing(before, p));
      });
    }
    // A node that waits for nothing joins the tape that reads it, instead of
    // forming its own.
    for (size_t i = nodes.size(); i-- > 0;) {
      Place& p = place[nodes[i]];
      if (p.why.empty() && p.reader != kNone && p.reader <= p.latest) {
        p.depth = std::max(p.depth, p.reader);
      }
      ForEachBefore(*nodes[i], place, [&](Place& before) {
        size_t by = p.depth - Crossing(before, p);
        before.latest = std::min(before.latest, by);
        if (p.why.empty()) before.reader = std::min(before.reader, p.depth);
      });
    }
    std::vector<std::vector<Node*>> tapes, others;
    for (Node* node : nodes) {
      const Place& p = place[node];
      auto& lists = p.why.empty() ? tapes : others;
      if (lists.size() <= p.depth) lists.resize(p.depth + 1);
      lists[p.depth].push_back(node);
    }
    for (size_t d = 0; d < std::max(tapes.size(), others.size()); ++d) {
      if (d < others.size()) {
        for (Node* node : others[d]) out_.push_back({{node}, place[node].why});
      }
      if (d >= tapes.size() || tapes[d].empty()) continue;
      if (BetterAlone(tapes[d])) {
        for (Node* node : tapes[d]) out_.push_back({{node}, "too few ops"});
      } else {
        out_.push_back({tapes[d], ""});
      }
    }
  }

  const VmValues& values_;
  const bool tapes_;
  std::unordered_map<const Node*, std::vector<Node*>> after_;
  std::vector<VmStretch> out_;
};

}  // namespace

std::vector<VmStretch> ScheduleBytecode(const Region& region,
                                        const VmValues& values, bool tapes) {
  return Scheduler(region, values, tapes).Run(values.order(region));
}

}  // namespace sluice
