#include "sluice/batching/lane_code.h"

#include <algorithm>

#include "sluice/batching/lane_spread.h"

namespace sluice {

LaneCode::LaneCode(BatchScope& scope, std::vector<const Node*> nodes)
    : scope_(scope), nodes_(std::move(nodes)) {
  auto inside = [&](const Value& v) {
    return std::find(nodes_.begin(), nodes_.end(), v.node) != nodes_.end();
  };
  auto give = [&](const Value& v) {
    if (inside(v) || given_.contains(v)) return;
    Given given{scope.Find(v), {}};
    if (given.lanes.batched && IsList(given.lanes.value)) {
      given.box = scope.Full(given.lanes);
    }
    given_[v] = given;
    order_.push_back(v);
  };
  for (const Node* node : nodes_) {
    for (const Value& v : node->inputs()) give(v);
    for (const Value& v : CapturedBy(*node)) give(v);
  }
}

bool LaneCode::lists() const {
  for (int i = 0; i < last().num_outputs(); ++i) {
    if (last().output_type(i).dtype == DType::kList) return true;
  }
  return std::any_of(given_.begin(), given_.end(),
                     [](const auto& entry) { return entry.second.box; });
}

bool LaneCode::puts_back() const {
  if (nodes_.size() > 1 || last().num_inputs() == 0) return false;
  return given_.at(last().input(0)).box && last().op().cpu().in_place &&
         last().output_type(0).dtype == DType::kList;
}

std::vector<LaneCode::Values> LaneCode::Unstacked(int64_t lanes) {
  std::vector<Values> rows(static_cast<size_t>(lanes));
  for (const Value& v : order_) {
    const Lanes& given = given_.at(v).lanes;
    if (!given.batched) continue;
    Node* node =
        scope_.emit().Add("Unstack", Values{given.value}, {{"num", lanes}});
    if (!node) return {};
    Values parts = OutputsOf(*node);
    for (size_t i = 0; i < rows.size(); ++i) rows[i].push_back(parts[i]);
  }
  return rows;
}

Value LaneCode::PartOf(Emitter& emit, Value of_one, const Given& given,
                       Value lane) const {
  if (!given.lanes.batched) return given.lanes.value;
  if (given.box) {
    return emit.Call(
        "ListGet", {given.box, lane},
        {{"dtype", DType::kList}, {"shape", PartialShape::Scalar()}});
  }
  Value part = emit.Gather(given.lanes.value, lane);
  emit.Refine(part, of_one.shape());  // the shape known for one example
  return part;
}

LaneCode::Values LaneCode::Run(Emitter& emit, Value lane, Value taken,
                               const Values& unstacked) const {
  Graph::ValueMap here;
  size_t next = 0;
  for (const Value& v : order_) {
    const Given& given = given_.at(v);
    if (taken && v == last().input(0)) {
      here[v] = taken;
    } else if (given.lanes.batched && !unstacked.empty()) {
      here[v] = unstacked[next++];
    } else {
      here[v] = PartOf(emit, v, given, lane);
    }
  }
  const Node* source = emit.state().source;
  Values results;
  for (const Node* node : nodes_) {
    if (!emit.ok()) break;
    emit.state().source = node;
    Node* made = nullptr;
    if (node->regions().empty()) {
      Values inputs;
      for (const Value& v : node->inputs()) inputs.push_back(here.at(v));
      made = emit.Add(node->op().name, inputs, node->attrs());
    } else {
      Graph::NodeMap copies;
      made = emit.graph().CopyNode(*node, emit.region(), here, copies);
    }
    if (!made) break;
    results = OutputsOf(*made);
    for (size_t i = 0; i < results.size(); ++i) {
      here[{const_cast<Node*>(node), static_cast<int>(i)}] = results[i];
    }
  }
  emit.state().source = source;
  return emit.ok() ? results : Values();
}

}  // namespace sluice
