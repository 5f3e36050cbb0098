// Copies of nodes, regions and whole graphs.
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

namespace {

// The input of a copied Merge until the NextIteration it waits for is copied.
Value StandIn(const Node& merge, const Graph::ValueMap& map) {
  for (const Value& v : merge.inputs()) {
    if (auto it = map.find(v); it != map.end()) return it->second;
  }
  for (const Value& v : merge.inputs()) {
    if (!IsBackEdge(merge, v)) return v;
  }
  return merge.input(0);
}

// Connects Merges that were copied before their NextIteration to its copy.
void CloseBackEdges(const Node& from, Node& copy, Graph& graph,
                    const Graph::NodeMap& nodes) {
  for (const Node* user : from.users()) {
    auto it = nodes.find(user);
    if (it == nodes.end() || user->op().flow != Flow::kMerge) continue;
    for (int i = 0; i < user->num_inputs(); ++i) {
      if (user->input(i).node == &from) {
        graph.SetInput(*it->second, i, copy.output());
      }
    }
  }
}

}  // namespace

Node* Graph::CopyNode(const Node& from, Region& region, ValueMap& map,
                      NodeMap& nodes) {
  Node* node = NewNode();
  node->op_ = from.op_;
  node->region_ = &region;
  node->name_ = from.name_;
  node->origin_ = pool_->Origin(from.origin());
  node->attrs_ = from.attrs_;
  for (const ValueType* type : from.outputs_) {
    node->outputs_.push_back(pool_->Type(*type));
  }
  node->key_ = from.key_;
  while (by_name_.Find(node->name_)) {
    node->name_ = StrCat(from.name_, "_", ++name_counts_[from.name_]);
  }
  by_name_.Insert(*node);
  for (const Value& v : from.inputs_) {
    auto it = map.find(v);
    Value here = it == map.end() ? v : it->second;
    // A NextIteration below: until it is copied, another input takes its place.
    if (it == map.end() && IsBackEdge(from, v)) here = StandIn(from, map);
    node->inputs_.push_back(here);
    AddUse(here, node);
  }
  for (Node* c : from.controls()) {
    auto it = nodes.find(c);
    if (it == nodes.end()) continue;
    node->few().controls.push_back(it->second);
    it->second->users_.push_back(node);
  }
  region.nodes_.push_back(node);
  bool fed = map.count(Value{const_cast<Node*>(&from), 0}) > 0;
  for (int i = 0; i < node->num_outputs(); ++i) {
    map[Value{const_cast<Node*>(&from), i}] = node->output(i);
  }
  nodes[&from] = node;
  if (from.op_->flow == Flow::kNextIteration && !fed) {
    CloseBackEdges(from, *node, *this, nodes);
  }
  for (const auto& inner : from.regions()) {
    auto& regions = node->few().regions;
    regions.push_back(NewRegion(inner->label_, node));
    CopyRegion(*inner, *regions.back(), map, nodes);
  }
  return node;
}

void Graph::CopyRegion(const Region& from, Region& to, ValueMap& map,
                       NodeMap& nodes) {
  to.arg_names_ = from.arg_names_;
  to.arg_index_ = from.arg_index_;
  to.args_->outputs_.clear();
  for (const ValueType* type : from.args_->outputs_) {
    to.args_->outputs_.push_back(pool_->Type(*type));
  }
  for (int i = 0; i < from.num_args(); ++i) map[from.arg(i)] = to.arg(i);
  for (Node* node : from.nodes_) CopyNode(*node, to, map, nodes);
  for (const Value& v : from.results_) {
    auto it = map.find(v);
    to.results_.push_back(it == map.end() ? v : it->second);
  }
  for (Node* t : from.targets_) {
    auto it = nodes.find(t);
    if (it != nodes.end()) to.targets_.push_back(it->second);
  }
}

std::unique_ptr<Graph> Graph::Clone(ValueMap* map, NodeMap* nodes) const {
  auto copy = std::make_unique<Graph>(name_);
  ValueMap own_map;
  NodeMap own_nodes;
  copy->CopyRegion(*root_, *copy->root_, map ? *map : own_map,
                   nodes ? *nodes : own_nodes);
  return copy;
}

}  // namespace sluice
