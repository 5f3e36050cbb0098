#include "sluice/passes/raise_for_gradients.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/graph/traverse.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/passes/raise_beside.h"

namespace sluice {

namespace {

using Nodes = std::unordered_set<const Node*>;

void AddInside(const Node& node, Nodes& nodes, std::vector<const Node*>& open) {
  for (const auto& region : node.regions()) {
    for (const Node* inner : region->nodes()) {
      if (!nodes.insert(inner).second) continue;
      open.push_back(inner);
      AddInside(*inner, nodes, open);
    }
  }
}

// The nodes that the ys are computed from, including nodes inside them.
Nodes Upstream(std::span<const Value> ys) {
  Nodes nodes;
  std::vector<const Node*> open;
  auto reach = [&](const Node* node) {
    if (!nodes.insert(node).second) return;
    open.push_back(node);
    AddInside(*node, nodes, open);
  };
  for (const Value& y : ys) reach(y.node);
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    for (const Value& v : node->inputs()) reach(v.node);
    for (const Node* control : node->controls()) reach(control);
  }
  return nodes;
}

// Nodes that depend on an x through differentiable values.
class Downstream {
 public:
  Downstream(const Graph& graph, std::span<const Value> xs) {
    Scan(graph.root());
    for (const Value& x : xs) Visit(x);
    while (!open_.empty()) {
      Node* node = open_.back();
      open_.pop_back();
      for (int i = 0; i < node->num_outputs(); ++i) {
        if (CarriesGradient(node->output(i).dtype())) Visit(node->output(i));
      }
      if (node->op().flow != Flow::kFunction) continue;
      for (Node* user : node->users()) Reach(user);
    }
  }
  const Nodes& nodes() const { return nodes_; }

 private:
  void Scan(const Region& region) {
    for (Node* node : region.nodes()) {
      for (const auto& inner : node->regions()) {
        for (const Value& v : inner->results()) passed_on_.emplace(v, node);
        Scan(*inner);
      }
    }
  }
  void Reach(Node* node) {
    for (; node && nodes_.insert(node).second; node = node->region()->owner()) {
      open_.push_back(node);
    }
  }
  void Visit(const Value& v) {
    for (Node* user : v.node->users()) {
      auto in = user->inputs();
      if (std::find(in.begin(), in.end(), v) != in.end()) Reach(user);
    }
    auto [begin, end] = passed_on_.equal_range(v);
    for (auto it = begin; it != end; ++it) Reach(it->second);
  }

  std::unordered_multimap<Value, Node*, ValueHash> passed_on_;
  Nodes nodes_;
  std::vector<Node*> open_;
};

bool AnyPrimitives(const Region& region) {
  for (const Node* node : region.nodes()) {
    if (IsPrimitive(*node)) return true;
    for (const auto& inner : node->regions()) {
      if (AnyPrimitives(*inner)) return true;
    }
  }
  return false;
}

class ForGradients {
 public:
  ForGradients(Graph& graph, std::vector<Value>& ys, std::vector<Value>& xs)
      : graph_(graph),
        ys_(ys),
        xs_(xs),
        upstream_(Upstream(ys)),
        downstream_(graph, xs) {}

  // Inner regions first.
  Status Visit(Region& region) {
    std::vector<Node*> nodes(region.nodes().begin(), region.nodes().end());
    for (Node* node : nodes) {
      if (!upstream_.count(node)) continue;
      for (const auto& inner : node->regions()) {
        SL_RETURN_IF_ERROR(Visit(*inner));
      }
    }
    if (!HasPrimitives(region)) return OkStatus();
    SL_ASSIGN_OR_RETURN(std::vector<RawPart> parts,
                        FindRawParts(region, upstream_));
    for (const RawPart& part : parts) {
      SL_RETURN_IF_ERROR(CheckXs(part));
      bool on_the_way = std::any_of(
          part.nodes.begin(), part.nodes.end(),
          [&](const Node* n) { return downstream_.nodes().count(n); });
      if (!on_the_way && !RaisedBeside(graph_, part)) continue;
      SL_RETURN_IF_ERROR(RaiseBeside(graph_, region, part));
    }
    return OkStatus();
  }

  // Uses the stand-ins created now or by earlier gradients.
  void UseStandIns() {
    for (auto* list : {&ys_, &xs_}) {
      for (Value& v : *list) {
        if (Value raised = RaisedStandIn(graph_, v)) v = raised;
      }
    }
  }

 private:
  Status CheckXs(const RawPart& part) const {
    for (const Value& x : xs_) {
      bool among = std::find(part.nodes.begin(), part.nodes.end(), x.node) !=
                   part.nodes.end();
      bool leaves = std::find(part.leaving.begin(), part.leaving.end(), x) !=
                    part.leaving.end();
      if (!among || leaves) continue;
      return InvalidArgument(
                 StrCat("gradients: ", x.ToString(),
                        " stands among primitives of control flow; wanted a "
                        "value from around them"))
          .WithLine(NodeLine(*x.node));
    }
    return OkStatus();
  }

  Graph& graph_;
  std::vector<Value>&ys_, &xs_;
  const Nodes upstream_;
  const Downstream downstream_;
};

}  // namespace

Status RaiseForGradients(Graph& graph, std::vector<Value>& ys,
                         std::vector<Value>& xs) {
  if (!AnyPrimitives(graph.root())) return OkStatus();
  ForGradients raising(graph, ys, xs);
  SL_RETURN_IF_ERROR(raising.Visit(graph.root()));
  raising.UseStandIns();
  return OkStatus();
}

}  // namespace sluice
