#include "sluice/graph/traverse.h"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

// Finds the values that code captures. Called functions are code, too.
class Captures {
 public:
  explicit Captures(std::vector<Value>& out) : out_(out) {}

  // A capture is defined in `outside` or an enclosing region, not below.
  void Inside(const Region& code, const Region& outside) {
    outside_.push_back(&outside);
    Visit(code);
    outside_.pop_back();
  }

  // Captures of a call: those of its function. A call inside the function
  // starts another activation, which shares with this one only the values
  // outside the function.
  void Called(const Node& call, const Region& outside) {
    const Node* function = call.input(0).node;
    if (function->op().flow != Flow::kFunction || function->regions().empty() ||
        !called_.insert(function).second) {
      return;
    }
    outside_.push_back(&outside);
    Inside(*function->regions()[0], *function->region());
    outside_.pop_back();
  }

 private:
  void Visit(const Region& code) {
    for (Node* node : code.nodes()) {
      for (const Value& v : node->inputs()) Visit(v, code);
      for (const auto& region : node->regions()) Visit(*region);
      if (node->op().flow == Flow::kCall) Called(*node, *outside_.back());
    }
    for (const Value& v : code.results()) Visit(v, code);
  }

  void Visit(const Value& v, const Region& code) {
    // A recursive function does not wait for itself.
    if (IsOwnFunction(*v.node, &code)) return;
    for (const Region* region : outside_) {
      if (!v.node->region()->Encloses(region)) return;
    }
    out_.push_back(v);
  }

  std::vector<Value>& out_;
  std::vector<const Region*> outside_;  // of the code and of its callers
  std::unordered_set<const Node*> called_;
};

}  // namespace

std::vector<Value> InputsWithCaptures(const Node& node) {
  std::vector<Value> out(node.inputs().begin(), node.inputs().end());
  Captures captures(out);
  for (const auto& region : node.regions()) {
    captures.Inside(*region, *node.region());
  }
  if (node.op().flow == Flow::kCall) captures.Called(node, *node.region());
  return out;
}

Result<std::vector<Node*>> TopologicalOrder(
    const Region& region, const std::vector<EffectEdge>& effects) {
  auto nodes = region.nodes();
  std::unordered_map<const Node*, size_t> position;
  position.reserve(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) position[nodes[i]] = i;
  std::vector<int> waiting(nodes.size(), 0);
  std::vector<std::vector<size_t>> next(nodes.size());
  auto edge = [&](const Node* before, size_t after) {
    auto it = position.find(before);
    if (it == position.end()) return;  // from an enclosing region
    next[it->second].push_back(after);
    ++waiting[after];
  };
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i]->regions().empty()) {
      for (const Value& v : nodes[i]->inputs()) {
        if (!IsBackEdge(*nodes[i], v)) edge(v.node, i);
      }
    } else {
      for (const Value& v : InputsWithCaptures(*nodes[i])) edge(v.node, i);
    }
    for (Node* c : nodes[i]->controls()) edge(c, i);
  }
  for (const EffectEdge& e : effects) edge(e.before, position.at(e.after));

  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (waiting[i] == 0) ready.push(i);
  }
  std::vector<Node*> order;
  order.reserve(nodes.size());
  while (!ready.empty()) {
    size_t i = ready.top();
    ready.pop();
    order.push_back(nodes[i]);
    for (size_t k : next[i]) {
      if (--waiting[k] == 0) ready.push(k);
    }
  }
  if (order.size() == nodes.size()) return order;
  std::string names;
  int shown = 0;
  for (size_t i = 0; i < nodes.size() && shown < 8; ++i) {
    if (waiting[i] == 0) continue;
    StrAppend(names, shown++ ? ", " : "", "\"", nodes[i]->name(), "\"");
  }
  return InvalidArgument(
      StrCat("the graph has a cycle through nodes ", names,
             "; wanted every node to come after its inputs"));
}

bool IsPrimitive(const Node& node) {
  switch (node.op().flow) {
    case Flow::kSwitch:
    case Flow::kMerge:
    case Flow::kEnter:
    case Flow::kExit:
    case Flow::kNextIteration:
    case Flow::kLoopCond:
    case Flow::kTrigger:
      return true;
    default:
      return false;
  }
}

bool HasPrimitives(const Region& region) {
  return std::any_of(region.nodes().begin(), region.nodes().end(),
                     [](const Node* node) { return IsPrimitive(*node); });
}

}  // namespace sluice
