// Lays out the edges of a plan: grouped by sender, numbered by frame.
#include "sluice/plan/plan_builder.h"

namespace sluice {

namespace {

bool HasValue(const PlanEdge& e) {
  return e.route == Route::kSlot || e.route == Route::kMerge ||
         e.route == Route::kFetch || e.route == Route::kReturn;
}

// The last edge that carries an output's value may move it.
void MarkLast(std::span<PlanEdge> edges, size_t num_outputs) {
  std::vector<bool> taken(num_outputs, false);
  for (size_t k = edges.size(); k-- > 0;) {
    PlanEdge& e = edges[k];
    if (!HasValue(e)) continue;
    e.last = !taken[e.output];
    taken[e.output] = true;
  }
}

}  // namespace

void PlanBuilder::LayEdges() {
  // Edges of one node are adjacent, those without values first: once a value
  // has been moved, its presence can no longer be checked.
  for (const Wire& w : wires_) ++plan_->nodes_[w.from].num_edges;
  uint32_t next = 0;
  for (PlanNode& node : plan_->nodes_) {
    node.first_edge = next;
    next += node.num_edges;
    node.num_edges = 0;
  }
  auto& edges = plan_->edges_;
  edges.resize(next);
  for (bool value : {false, true}) {
    for (const Wire& w : wires_) {
      if (HasValue(w.edge) != value) continue;
      PlanNode& from = plan_->nodes_[w.from];
      edges[from.first_edge + from.num_edges++] = w.edge;
    }
  }
  for (const PlanNode& node : plan_->nodes_) {
    MarkLast({edges.data() + node.first_edge, node.num_edges},
             node.num_outputs);
  }
  auto append = [&](const std::vector<PlanEdge>& list, bool take) {
    size_t first = edges.size();
    for (bool value : {false, true}) {
      for (const PlanEdge& e : list) {
        if (HasValue(e) == value) edges.push_back(e);
      }
    }
    if (take) MarkLast({edges.data() + first, list.size()}, 1);
    return FrameInfo::Range{static_cast<uint32_t>(first),
                            static_cast<uint32_t>(list.size())};
  };
  for (const Code& code : codes_) {
    for (int i = 0; i < code.region->num_args(); ++i) {
      auto it = arg_wires_.find({code.region->args_node(), i});
      plan_->frames_[code.base].args.push_back(append(
          it == arg_wires_.end() ? std::vector<PlanEdge>() : it->second, true));
    }
  }
  for (auto& [order, entry] : constants_) {
    auto& [enter, constant] = entry;
    FrameInfo& frame =
        plan_->frames_[static_cast<size_t>(frame_map_.of(*enter))];
    frame.constants[constant.index] = append(constant.readers, false);
  }
}

void PlanBuilder::FinishFrames() {
  // Edges out of a frame are numbered; edges into one are counted.
  auto look = [&](uint32_t f, uint32_t k) {
    PlanEdge& e = plan_->edges_[k];
    if (e.way == Way::kExit) {
      auto& exits = plan_->frames_[f].exits;
      e.where = static_cast<uint32_t>(exits.size());
      exits.push_back(k);
    } else if (e.way == Way::kEnter || e.way == Way::kConstant) {
      ++plan_->frames_[plan_->frames_[f].children[e.where]].enters;
    }
  };
  for (uint32_t f = 0; f < plan_->frames_.size(); ++f) {
    FrameInfo& frame = plan_->frames_[f];
    auto first = frame.first_node;
    for (uint32_t id = first; id < first + frame.num_nodes; ++id) {
      PlanNode& node = plan_->nodes_[id];
      for (uint32_t k = node.first_edge, e = k + node.num_edges; k < e; ++k) {
        look(f, k);
        if (plan_->edges_[k].output == 1) node.wants_index = true;
      }
      bool merge = node.kind == NodeKind::kMerge;
      uint32_t ready = pending_[id];
      uint32_t constant = constant_inputs_[id];
      // A Merge of constants takes the slow, correct path.
      if (!merge) ready -= constant;
      frame.pending.push_back(pending_[id]);
      frame.pending_ready.push_back(ready);
      if (pending_[id] == 0) frame.sources.push_back(id);
      if (ready == 0) frame.sources_ready.push_back(id);
      if (merge && constant) frame.slow_constants = true;
    }
    for (const FrameInfo::Range& arg : frame.args) {
      for (uint32_t k = 0; k < arg.count; ++k) look(f, arg.first + k);
    }
  }
}

}  // namespace sluice
