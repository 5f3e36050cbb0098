#include "sluice/passes/raw_parts.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "sluice/graph/traverse.h"
#include "sluice/passes/raw_region.h"

namespace sluice {

namespace {

class Search {
 public:
  Search(const RawRegion& raw, const std::unordered_set<const Node*>& among)
      : raw_(raw), among_(among) {}

  Result<std::vector<RawPart>> Run() {
    SL_ASSIGN_OR_RETURN(std::vector<Node*> order,
                        TopologicalOrder(raw_.region()));
    for (Node* node : order) {
      if (among_.count(node)) Visit(*node);
    }
    for (const Node* node : order) {
      if (parent_.count(node)) JoinWithReads(*node);
    }
    return Collect();
  }

 private:
  // The predicates and sides under which a value is alive.
  using Sides = std::set<std::pair<std::pair<const Node*, int>, int>>;

  Sides SidesOf(const Value& v) const {
    auto it = sides_.find(v.node);
    if (it == sides_.end()) return {};
    Sides sides = it->second;
    if (v.node->op().flow == Flow::kSwitch) {
      const Value& pred = v.node->input(1);
      sides.insert({{pred.node, pred.index}, v.index});
    }
    return sides;
  }

  void Visit(const Node& node) {
    bool in_frame = raw_.frame(node) > RawRegion::kRootFrame;
    Sides& sides = sides_[&node];
    bool first = true;
    for (const Value& v : raw_.reads(node)) {
      if (IsBackEdge(node, v)) continue;
      Sides of_v = SidesOf(v);
      if (node.op().flow == Flow::kMerge && !in_frame && !first) {
        Sides both;
        std::set_intersection(sides.begin(), sides.end(), of_v.begin(),
                              of_v.end(), std::inserter(both, both.end()));
        sides = std::move(both);
      } else {
        sides.merge(of_v);
      }
      first = false;
    }
    for (const Node* control : node.controls()) {
      auto it = sides_.find(control);
      if (it != sides_.end())
        sides.insert(it->second.begin(), it->second.end());
    }
    // Decisions inside a frame apply there; values that entered it remain.
    if (node.op().flow == Flow::kEnter) {
      Sides& entered = entered_[Outermost(node)];
      entered.insert(sides.begin(), sides.end());
    } else if (node.op().flow == Flow::kExit && !in_frame) {
      sides = entered_[Outermost(*node.input(0).node)];
    }
    if (in_frame || IsPrimitive(node) || !sides.empty()) parent_[&node] = &node;
  }

  // The outermost frame that contains the node.
  int Outermost(const Node& node) const {
    int frame = raw_.frame(node);
    while (frame > RawRegion::kRootFrame) {
      int parent = raw_.frames()[static_cast<size_t>(frame)].parent;
      if (parent <= RawRegion::kRootFrame) break;
      frame = parent;
    }
    return frame;
  }

  const Node* Root(const Node* node) {
    while (parent_.at(node) != node) {
      node = parent_[node] = parent_.at(parent_.at(node));
    }
    return node;
  }
  void Join(const Node* a, const Node* b) {
    if (parent_.count(a) && parent_.count(b)) parent_[Root(a)] = Root(b);
  }
  void JoinWithReads(const Node& node) {
    for (const Value& v : raw_.reads(node)) Join(&node, v.node);
    for (const Node* control : node.controls()) Join(&node, control);
    // Switches of one predicate make one conditional.
    if (node.op().flow == Flow::kSwitch) {
      const Value& pred = node.input(1);
      auto [it, made] = by_pred_.try_emplace({pred.node, pred.index}, &node);
      if (!made) Join(&node, it->second);
    }
  }

  std::vector<RawPart> Collect() {
    std::vector<RawPart> parts;
    std::unordered_map<const Node*, size_t> index;
    for (Node* node : raw_.region().nodes()) {
      if (!parent_.count(node)) continue;
      auto [it, made] = index.try_emplace(Root(node), parts.size());
      if (made) parts.emplace_back();
      RawPart& part = parts[it->second];
      part.nodes.push_back(node);
      bool leaves =
          raw_.frame(*node) <= RawRegion::kRootFrame &&
          sides_.at(node).empty() &&
          (node->op().flow == Flow::kExit || node->op().flow == Flow::kMerge);
      if (leaves) part.leaving.push_back(node->output(0));
    }
    return parts;
  }

  const RawRegion& raw_;
  const std::unordered_set<const Node*>& among_;
  std::unordered_map<const Node*, Sides> sides_;
  std::map<int, Sides> entered_;                         // by outermost frame
  std::unordered_map<const Node*, const Node*> parent_;  // of nodes in a part
  std::map<std::pair<const Node*, int>, const Node*> by_pred_;
};

}  // namespace

Result<std::vector<RawPart>> FindRawParts(
    Region& region, const std::unordered_set<const Node*>& among) {
  SL_ASSIGN_OR_RETURN(RawRegion raw, RawRegion::Look(region));
  return Search(raw, among).Run();
}

}  // namespace sluice
