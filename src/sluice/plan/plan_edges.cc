// The edges of a plan: senders, receivers and routes.
#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/plan/plan_builder.h"

namespace sluice {

Status PlanBuilder::MakeEdges() {
  size_t n = plan_->nodes_.size();
  pending_.assign(n, 0);
  constant_inputs_.assign(n, 0);
  for (FrameInfo& frame : plan_->frames_) {
    frame.sticky.assign(frame.num_slots, 0);
  }
  for (uint32_t id = 0; id < n; ++id) InputEdges(id);
  ControlEdges();
  ReadersFirst();
  for (const Code& code : codes_) SL_RETURN_IF_ERROR(ResultEdges(code));
  ConstantWires();
  LayEdges();
  FinishFrames();
  return OkStatus();
}

// Adds an edge from each source of the value. A value carried around a loop has
// two sources, of which an iteration sees one.
void PlanBuilder::Connect(const Value& v, PlanEdge edge) {
  for (const Path& path : Resolve(v)) {
    PlanEdge e = edge;
    e.way = path.way;
    if (path.way == Way::kConstant) {
      auto& [enter, constant] = constants_[path.via->id()];
      enter = path.via;
      constant.source = path.source;
      e.way = Way::kHere;
      constant.readers.push_back(e);
      uint32_t id = edge.node;
      ++constant_inputs_[id];
      if (e.route == Route::kSlot) {
        plan_->frames_[plan_->infos_[id].frame].sticky[e.slot] = 1;
        plan_->nodes_[id].sticky = true;
      }
      continue;
    }
    if (path.way == Way::kEnter) {
      e.where =
          plan_->frames_[static_cast<size_t>(frame_map_.of(*path.via))].child;
    }
    if (path.source.node->is_args()) {
      e.output = 0;
      arg_wires_[{path.source.node, path.source.index}].push_back(e);
    } else {
      auto [from, output] = producer_.at(path.source);
      e.output = static_cast<uint16_t>(output);
      wires_.push_back({from, e});
    }
  }
}

void PlanBuilder::InputEdges(uint32_t id) {
  PlanNode& node = plan_->nodes_[id];
  FrameInfo& frame = plan_->frames_[plan_->infos_[id].frame];
  bool merge = node.kind == NodeKind::kMerge;
  if (merge) frame.leaves_values = true;
  for (size_t i = 0; i < inputs_[id].size(); ++i) {
    const Value& v = inputs_[id][i];
    auto number = static_cast<uint32_t>(i);
    if (merge) {
      PlanEdge edge{id, number};
      edge.route = Route::kMerge;
      const Node* self = members_[id][0];
      // A value from NextIteration arrives in another iteration, or not at all.
      if (!IsBackEdge(*self, v)) pending_[id] += kMergeDeadUnit;
      if (IsPreset(v.node)) {
        wires_.push_back({preset_pass_.at({self, static_cast<int>(i)}), edge});
      } else {
        Connect(v, edge);
      }
      continue;
    }
    uint32_t slot = node.first_slot + number;
    if (IsPreset(v.node)) {
      frame.presets.push_back({slot, preset_.at(v.node)});
      frame.sticky[slot] = 1;
      node.sticky = true;
      continue;
    }
    Connect(v, {id, slot});
    ++pending_[id];
  }
}

void PlanBuilder::Wait(const Node& before, uint32_t after, Route route) {
  if (IsPreset(&before)) return;
  auto it = plan_id_.find(&before);
  if (it != plan_id_.end() && it->second == after) return;
  if (!waits_.emplace(&before, after).second) return;
  SL_CHECK(frame_map_.of(before) ==
           static_cast<int>(plan_->infos_[after].frame));
  if (plan_->nodes_[after].kind == NodeKind::kMerge) {
    route = Route::kMergeControl;
  }
  PlanEdge edge{after, 0};
  edge.route = route;
  ++pending_[after];
  Flow flow = before.op().flow;
  bool moves = flow == Flow::kEnter || flow == Flow::kExit ||
               flow == Flow::kNextIteration;
  if (it == plan_id_.end() || moves) {
    Connect(const_cast<Node&>(before).output(0), edge);
    return;
  }
  edge.output = kNoOutput;
  wires_.push_back({it->second, edge});
}

void PlanBuilder::ControlEdges() {
  for (uint32_t id = 0; id < members_.size(); ++id) {
    for (Node* node : members_[id]) {
      bool trigger = node->op().flow == Flow::kTrigger;
      for (Node* c : node->controls()) {
        Wait(*c, id, trigger ? Route::kOrder : Route::kControl);
      }
    }
  }
  for (const EffectEdge& e : plan_->effects_) {
    Wait(*e.before, plan_id_.at(e.after), Route::kOrder);
  }
}

// Once for every constant Enter that has readers.
void PlanBuilder::ConstantWires() {
  for (auto& [order, entry] : constants_) {
    auto& [enter, constant] = entry;
    FrameInfo& frame =
        plan_->frames_[static_cast<size_t>(frame_map_.of(*enter))];
    constant.index = static_cast<uint32_t>(frame.constants.size());
    frame.constants.push_back({});
    PlanEdge edge{constant.index, 0};
    edge.way = Way::kConstant;
    edge.where = frame.child;
    if (constant.source.node->is_args()) {
      arg_wires_[{constant.source.node, constant.source.index}].push_back(edge);
    } else {
      auto [from, output] = producer_.at(constant.source);
      edge.output = static_cast<uint16_t>(output);
      wires_.push_back({from, edge});
    }
  }
}

Status PlanBuilder::ResultEdges(const Code& code) {
  FrameInfo& frame = plan_->frames_[code.base];
  for (size_t r = 0; r < code.region->results().size(); ++r) {
    const Value& v = code.region->results()[r];
    if (IsPreset(v.node)) {
      frame.preset_results.push_back({static_cast<int>(r), preset_.at(v.node)});
      continue;
    }
    int in = v.node->is_args() ? static_cast<int>(code.base)
                               : frame_map_.of(*v.node);
    if (in != static_cast<int>(code.base)) {
      return InvalidArgument(
                 StrCat("fetch \"", v.ToString(), "\" is in frame \"",
                        plan_->frames_[static_cast<size_t>(in)].name,
                        "\", where it exists once in every iteration; wanted "
                        "a value that has left it by an Exit"))
          .WithLine(NodeLine(*v.node));
    }
    PlanEdge edge{static_cast<uint32_t>(r), 0};
    edge.route = code.function ? Route::kReturn : Route::kFetch;
    Connect(v, edge);
  }
  return OkStatus();
}

// Whether a node that is the sole holder of its input i overwrites it.
bool PlanBuilder::Overwrites(uint32_t id, size_t i) {
  if (const CompiledPiece* piece = plan_->infos_[id].piece.get()) {
    return piece->OverwritesInput(i);
  }
  if (members_[id].empty()) return false;
  Node* node = members_[id][0];
  return i == 0 && node->op().cpu().in_place && IsResult(node->output(0));
}

// All nodes that wait for `from`, directly or indirectly.
std::unordered_set<uint32_t> PlanBuilder::After(uint32_t from) const {
  std::unordered_multimap<uint32_t, uint32_t> next;
  for (const Wire& w : wires_) {
    if (w.edge.route == Route::kFetch || w.edge.route == Route::kReturn ||
        w.edge.way == Way::kConstant) {
      continue;
    }
    next.emplace(w.from, w.edge.node);
  }
  std::unordered_set<uint32_t> seen{from};
  std::vector<uint32_t> open{from};
  while (!open.empty()) {
    auto [begin, end] = next.equal_range(open.back());
    open.pop_back();
    for (auto it = begin; it != end; ++it) {
      if (seen.insert(it->second).second) open.push_back(it->second);
    }
  }
  return seen;
}

// Orders readers of an argument before a node that may overwrite it, so that
// the latter is the sole holder. Only without loops, whose nodes may be on both
// sides. And only without asynchronous nodes: a reader may wait for another
// task, which may wait for the writer's result.
void PlanBuilder::ReadersFirst() {
  if (plan_->frames_.size() > 1) return;
  for (const PlanNode& node : plan_->nodes_) {
    if (node.kind == NodeKind::kAsync) return;
  }
  auto reads = [&](uint32_t id, const Value& v) {
    const std::vector<Value>& in = inputs_[id];
    return std::find(in.begin(), in.end(), v) != in.end();
  };
  for (uint32_t id = 0; id < inputs_.size(); ++id) {
    for (size_t i = 0; i < inputs_[id].size(); ++i) {
      Value v = inputs_[id][i];
      if (!v.node->is_args() || !Overwrites(id, i)) continue;
      std::unordered_set<uint32_t> after = After(id);
      for (uint32_t other = 0; other < inputs_.size(); ++other) {
        if (!reads(other, v) || after.count(other)) continue;
        PlanEdge edge{id, 0};
        edge.route = Route::kOrder;
        edge.output = kNoOutput;
        wires_.push_back({other, edge});
        ++pending_[id];
      }
    }
  }
}

}  // namespace sluice
