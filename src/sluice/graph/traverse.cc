#include "sluice/graph/traverse.h"

#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

using Functions = std::unordered_set<const Node*>;

void CollectCaptures(const Region& inner, const Region& outside,
                     std::vector<Value>& out, Functions& called);

// What a call reads besides its operands: what its function captures. A call
// inside the function starts another run of it, which shares nothing with this
// one but what is around the function.
void CollectCalled(const Node& call, std::vector<Value>& out,
                   Functions& called) {
  const Node* function = call.input(0).node;
  if (function->op().flow != Flow::kFunction || function->regions().empty() ||
      !called.insert(function).second) {
    return;
  }
  CollectCaptures(*function->regions()[0], *function->region(), out, called);
}

void CollectCaptures(const Region& inner, const Region& outside,
                     std::vector<Value>& out, Functions& called) {
  auto visit = [&](const Value& v) {
    // A capture is defined in `outside` or around it, not below. A function
    // that calls itself does not wait for itself.
    if (v.node->region()->Encloses(&outside) &&
        !IsOwnFunction(*v.node, &inner)) {
      out.push_back(v);
    }
  };
  for (Node* node : inner.nodes()) {
    for (const Value& v : node->inputs()) visit(v);
    for (const auto& region : node->regions()) {
      CollectCaptures(*region, outside, out, called);
    }
    if (node->op().flow == Flow::kCall) {
      CollectCalled(*node, out, called);
    }
  }
  for (const Value& v : inner.results()) visit(v);
}

}  // namespace

std::vector<Value> InputsWithCaptures(const Node& node) {
  std::vector<Value> out(node.inputs().begin(), node.inputs().end());
  Functions called;
  for (const auto& region : node.regions()) {
    CollectCaptures(*region, *node.region(), out, called);
  }
  if (node.op().flow == Flow::kCall) {
    CollectCalled(node, out, called);
  }
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
    if (it == position.end()) return;  // from a region around this one
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

}  // namespace sluice
