#include "sluice/graph/stretch.h"

#include <algorithm>
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/graph/traverse.h"

namespace sluice {

Result<Stretch> Stretch::Make(const Region& home, int first,
                              std::span<const Value> ys) {
  Stretch made;
  std::unordered_set<Value, ValueHash> known;
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> nodes;
  std::vector<Value> open(ys.begin(), ys.end());
  while (!open.empty()) {
    Value v = open.back();
    open.pop_back();
    bool inside = !v.node->is_args() && v.node->id() >= first &&
                  v.node->region() == &home;
    if (!inside) {
      if (known.insert(v).second) made.reads_.push_back(v);
      continue;
    }
    if (!seen.insert(v.node).second) continue;
    nodes.push_back(v.node);
    // Captures of branches and loops are inputs, too.
    for (const Value& in : InputsWithCaptures(*v.node)) open.push_back(in);
  }
  // Each node comes after its inputs.
  std::sort(nodes.begin(), nodes.end(),
            [](const Node* a, const Node* b) { return a->id() < b->id(); });
  for (const Value& read : made.reads_) {
    SL_RETURN_IF_ERROR(made.StandFor(read));
  }
  Graph::ValueMap map;
  Graph::NodeMap copies;
  for (size_t i = 0; i < made.reads_.size(); ++i) {
    map[made.reads_[i]] = made.stand_ins_[i];
  }
  for (const Node* node : nodes) {
    made.nodes_.push_back(
        made.own_->CopyNode(*node, made.own_->root(), map, copies));
  }
  for (const Value& y : ys) made.ys_.push_back(map.at(y));
  return made;
}

// A placeholder or, for types that cannot have one, a copy of a node without
// inputs.
Status Stretch::StandFor(const Value& read) {
  auto place = own_->Add(own_->root(), "Placeholder", {},
                         {{"dtype", read.dtype()}, {"shape", read.shape()}});
  if (place.ok()) {
    stand_ins_.push_back((*place)->output());
    return OkStatus();
  }
  if (read.node->is_args() || !InputsWithCaptures(*read.node).empty()) {
    return Unimplemented(
        StrCat("\"", read.ToString(), "\" cannot be an argument"));
  }
  Graph::ValueMap map;
  Graph::NodeMap copies;
  Node* copy = own_->CopyNode(*read.node, own_->root(), map, copies);
  stand_ins_.push_back(copy->output(read.index));
  return OkStatus();
}

std::vector<Value> Stretch::Build(Graph& graph, Region& region,
                                  std::span<const Value> from) const {
  Graph::ValueMap map;
  Graph::NodeMap copies;
  for (size_t i = 0; i < stand_ins_.size(); ++i) map[stand_ins_[i]] = from[i];
  for (const Node* node : nodes_) graph.CopyNode(*node, region, map, copies);
  std::vector<Value> ys;
  for (const Value& y : ys_) ys.push_back(map.at(y));
  return ys;
}

}  // namespace sluice
