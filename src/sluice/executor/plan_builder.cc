// From a graph to a Plan: order, islands, then one pass that numbers nodes and
// slots and one that lays the edges.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/executor/fusion.h"
#include "sluice/executor/islands.h"
#include "sluice/executor/op_cost.h"
#include "sluice/executor/plan.h"
#include "sluice/executor/step.h"
#include "sluice/executor/tape_builder.h"
#include "sluice/graph/traverse.h"
#include "sluice/op/resource.h"
#include "sluice/op/run_op.h"

namespace sluice {

class PlanBuilder {
 public:
  PlanBuilder(std::unique_ptr<Graph> graph, const PlanOptions& options)
      : options_(options), plan_(new Plan) {
    plan_->graph_ = std::move(graph);
  }

  Result<std::shared_ptr<const Plan>> Build() {
    const Region& root = plan_->graph_->root();
    plan_->effects_ = EffectEdges(root);
    SL_ASSIGN_OR_RETURN(order_, TopologicalOrder(root, plan_->effects_));
    SL_RETURN_IF_ERROR(FindPresets());
    SL_RETURN_IF_ERROR(MakeNodes());
    MakeEdges();
    return std::shared_ptr<const Plan>(std::move(plan_));
  }

 private:
  // ---- Values known before any step ----

  Status FindPresets() {
    for (Node* node : order_) {
      if (node->op().flow == Flow::kFunction) {
        // Calls know it by its node; there is nothing to pass on.
        preset_[node] = Array::Handle({});
      } else if (node->num_outputs() == 1 && node->controls().empty() &&
                 ConstantValue(node->output(0))) {
        preset_[node] = *ConstantValue(node->output(0));
      } else if (node->op().handle) {
        StepContext step;
        step.resources = options_.resources;
        NodeInfo info{node->name(), node->line(), node->key()};
        Result<std::vector<Array>> made =
            RunOp(node->op(), node->attrs(), {}, &step, &info);
        if (!made.ok()) return made.status().WithLine(NodeLine(*node));
        preset_[node] = (*made)[0];
      }
    }
    return OkStatus();
  }

  // ---- Nodes ----

  Status MakeNodes() {
    IslandChoice islands;
    islands.island.assign(order_.size(), -1);
    islands.why_not.assign(order_.size(), "");
    if (options_.executor != ExecutorChoice::kTokens) {
      IslandOptions island_options;
      if (options_.executor == ExecutorChoice::kTape)
        island_options.min_nodes = 1;
      islands = ChooseIslands(order_, plan_->effects_, island_options);
    }
    std::vector<std::vector<Node*>> members(static_cast<size_t>(islands.count));
    for (size_t i = 0; i < order_.size(); ++i) {
      if (islands.island[i] >= 0) {
        members[static_cast<size_t>(islands.island[i])].push_back(order_[i]);
      }
    }
    std::vector<bool> made(members.size(), false);
    for (size_t i = 0; i < order_.size(); ++i) {
      Node* node = order_[i];
      if (preset_.count(node)) continue;
      int island = islands.island[i];
      if (!node->regions().empty() || node->op().flow == Flow::kCall) {
        SL_RETURN_IF_ERROR(AddNative(*node));
      } else if (island < 0) {
        AddSingle(*node, islands.why_not[i]);
      } else if (!made[static_cast<size_t>(island)]) {
        made[static_cast<size_t>(island)] = true;
        SL_RETURN_IF_ERROR(AddIsland(members[static_cast<size_t>(island)]));
      }
    }
    size_t n = plan_->nodes_.size();
    plan_->costs_.reset(new std::atomic<float>[n]);
    for (size_t i = 0; i < n; ++i) {
      plan_->costs_[i].store(costs_[i], std::memory_order_relaxed);
      plan_->worth_sharing_ = plan_->worth_sharing_ || costs_[i] >= kShareNanos;
    }
    return OkStatus();
  }

  uint32_t NewNode(size_t inputs, size_t outputs) {
    PlanNode node;
    node.num_inputs = static_cast<uint16_t>(inputs);
    node.num_outputs = static_cast<uint16_t>(outputs);
    node.first_slot = static_cast<uint32_t>(plan_->num_slots_);
    plan_->num_slots_ += inputs;
    plan_->nodes_.push_back(node);
    plan_->infos_.emplace_back();
    return static_cast<uint32_t>(plan_->nodes_.size() - 1);
  }

  void AddSingle(Node& node, std::string why) {
    uint32_t id = NewNode(static_cast<size_t>(node.num_inputs()),
                          static_cast<size_t>(node.num_outputs()));
    PlanNode& hot = plan_->nodes_[id];
    PlanNodeInfo& info = plan_->infos_[id];
    info.node = hot.node = &node;
    hot.op = &node.op();
    info.info = {node.name(), node.line(), node.key()};
    info.why_alone = std::move(why);
    for (int i = 0; i < node.num_outputs(); ++i) {
      info.out_dtypes.push_back(node.output_type(i).dtype);
    }
    if (node.op().async()) {
      hot.kind = NodeKind::kAsync;
    } else if (node.op().block && (info.block = SelectBlock(node)).fn) {
      hot.kind = NodeKind::kElementwise;
    }
    double cost = NodeCostNanos(node);
    hot.heavy = cost >= kHeavyNanos && hot.kind != NodeKind::kAsync;
    costs_.push_back(static_cast<float>(cost));
    inputs_.emplace_back(node.inputs().begin(), node.inputs().end());
    for (int i = 0; i < node.num_outputs(); ++i)
      producer_[node.output(i)] = {id, i};
    plan_id_[&node] = id;
    members_.push_back({&node});
  }

  Status AddIsland(const std::vector<Node*>& nodes) {
    std::unordered_map<const Node*, bool> inside;
    for (Node* node : nodes) inside[node] = true;
    std::vector<Value> outputs;
    for (Node* node : nodes) {
      for (int i = 0; i < node->num_outputs(); ++i) {
        if (ReadOutside(node->output(i), inside))
          outputs.push_back(node->output(i));
      }
    }
    TapeOptions tape_options;
    tape_options.fusion.enabled = options_.fuse;
    SL_ASSIGN_OR_RETURN(std::unique_ptr<Tape> tape,
                        BuildTape(nodes, outputs, tape_options));
    uint32_t id = NewNode(tape->inputs().size(), outputs.size());
    PlanNode& hot = plan_->nodes_[id];
    hot.kind = NodeKind::kIsland;
    hot.heavy = tape->cost_ns() >= kHeavyNanos;
    costs_.push_back(static_cast<float>(tape->cost_ns()));
    inputs_.emplace_back(tape->inputs().begin(), tape->inputs().end());
    for (size_t i = 0; i < outputs.size(); ++i) {
      producer_[outputs[i]] = {id, static_cast<int>(i)};
      plan_->infos_[id].out_dtypes.push_back(outputs[i].dtype());
    }
    for (Node* node : nodes) plan_id_[node] = id;
    members_.push_back(nodes);
    plan_->infos_[id].tape = std::move(tape);
    return OkStatus();
  }

  Status AddNative(Node& node) {
    NativeOptions native_options;
    native_options.fuse = options_.fuse;
    SL_ASSIGN_OR_RETURN(std::unique_ptr<NativeCode> code,
                        NativeCode::Build(node, native_options));
    uint32_t id =
        NewNode(code->inputs().size(), static_cast<size_t>(node.num_outputs()));
    PlanNode& hot = plan_->nodes_[id];
    PlanNodeInfo& info = plan_->infos_[id];
    hot.kind = NodeKind::kNative;
    info.node = &node;  // not hot.node: its errors name it already
    hot.heavy = code->cost_ns() >= kHeavyNanos;
    info.info = {node.name(), node.line(), node.key()};
    costs_.push_back(static_cast<float>(code->cost_ns()));
    inputs_.emplace_back(code->inputs().begin(), code->inputs().end());
    for (int i = 0; i < node.num_outputs(); ++i) {
      producer_[node.output(i)] = {id, i};
      info.out_dtypes.push_back(node.output_type(i).dtype);
    }
    plan_id_[&node] = id;
    members_.push_back({&node});
    info.native = std::move(code);
    return OkStatus();
  }

  bool ReadOutside(const Value& v,
                   const std::unordered_map<const Node*, bool>& inside) {
    for (Node* user : v.node->users()) {
      if (inside.count(user)) continue;
      for (const Value& in : user->inputs()) {
        if (in == v) return true;
      }
    }
    return IsResult(v) || IsCaptured(v);
  }

  bool IsResult(const Value& v) {
    if (results_.empty()) {
      for (const Value& r : plan_->graph_->root().results()) results_[r] = true;
    }
    return results_.count(v) > 0;
  }

  // Read by a region that gives it on as a result, which is no use of a node.
  bool IsCaptured(const Value& v) {
    if (!captured_known_) {
      captured_known_ = true;
      for (Node* node : order_) {
        if (node->regions().empty()) continue;
        for (const Value& c : InputsWithCaptures(*node)) captured_.insert(c);
      }
    }
    return captured_.count(v) > 0;
  }

  // ---- Edges ----

  struct Wire {
    uint32_t from;
    PlanEdge edge;
  };

  void MakeEdges() {
    size_t n = plan_->nodes_.size();
    plan_->pending_.assign(n, 0);
    plan_->slot_is_preset_.assign(plan_->num_slots_, 0);
    const Region& root = plan_->graph_->root();
    std::vector<std::vector<PlanEdge>> arg_wires(
        static_cast<size_t>(root.num_args()));
    std::vector<Wire> wires;
    auto connect = [&](const Value& v, PlanEdge edge) {
      if (v.node->is_args()) {
        arg_wires[static_cast<size_t>(v.index)].push_back(edge);
      } else {
        auto [from, output] = producer_.at(v);
        edge.output = static_cast<uint16_t>(output);
        wires.push_back({from, edge});
      }
    };
    for (uint32_t id = 0; id < n; ++id) {
      for (size_t i = 0; i < inputs_[id].size(); ++i) {
        const Value& v = inputs_[id][i];
        uint32_t slot = plan_->nodes_[id].first_slot + static_cast<uint32_t>(i);
        auto known = preset_.find(v.node);
        if (known != preset_.end()) {
          plan_->presets_.push_back({slot, known->second});
          plan_->slot_is_preset_[slot] = 1;
          continue;
        }
        connect(v, {id, slot, 0, Route::kSlot, false});
        ++plan_->pending_[id];
      }
    }
    ControlWires(wires);
    ReadersFirst(wires);
    for (size_t r = 0; r < root.results().size(); ++r) {
      const Value& v = root.results()[r];
      auto known = preset_.find(v.node);
      if (known != preset_.end()) {
        plan_->preset_results_.push_back({static_cast<int>(r), known->second});
      } else {
        connect(v, {static_cast<uint32_t>(r), 0, 0, Route::kFetch, false});
      }
    }
    LayEdges(wires, arg_wires);
    for (uint32_t id = 0; id < n; ++id) {
      if (plan_->pending_[id] == 0) plan_->sources_.push_back(id);
    }
  }

  void ControlWires(std::vector<Wire>& wires) {
    std::unordered_map<uint64_t, bool> seen;
    auto wait = [&](const Node* before, uint32_t after) {
      auto it = plan_id_.find(before);
      if (it == plan_id_.end() || it->second == after) return;
      if (!seen.emplace(uint64_t{it->second} << 32 | after, true).second)
        return;
      wires.push_back({it->second, {after, 0, 0, Route::kControl, false}});
      ++plan_->pending_[after];
    };
    for (uint32_t id = 0; id < members_.size(); ++id) {
      for (Node* node : members_[id]) {
        for (Node* c : node->controls()) wait(c, id);
      }
    }
    for (const EffectEdge& e : plan_->effects_) {
      wait(e.before, plan_id_.at(e.after));
    }
  }

  // Whether a node, left alone with its input i, writes a result over it.
  bool Overwrites(uint32_t id, size_t i) {
    if (const Tape* tape = plan_->infos_[id].tape.get()) {
      return tape->OverwritesInput(i);
    }
    if (plan_->infos_[id].native) return false;
    Node* node = members_[id][0];
    return i == 0 && node->op().in_place && IsResult(node->output(0));
  }

  // All nodes that wait for `from`, directly or not.
  static std::unordered_set<uint32_t> After(const std::vector<Wire>& wires,
                                            uint32_t from) {
    std::unordered_multimap<uint32_t, uint32_t> next;
    for (const Wire& w : wires) {
      if (w.edge.route != Route::kFetch) next.emplace(w.from, w.edge.node);
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

  // Whoever reads an argument goes before whoever may write over it, so that
  // the latter finds itself alone with it.
  void ReadersFirst(std::vector<Wire>& wires) {
    auto reads = [&](uint32_t id, const Value& v) {
      const std::vector<Value>& in = inputs_[id];
      return std::find(in.begin(), in.end(), v) != in.end();
    };
    for (uint32_t id = 0; id < inputs_.size(); ++id) {
      for (size_t i = 0; i < inputs_[id].size(); ++i) {
        Value v = inputs_[id][i];
        if (!v.node->is_args() || !Overwrites(id, i)) continue;
        std::unordered_set<uint32_t> after = After(wires, id);
        for (uint32_t other = 0; other < inputs_.size(); ++other) {
          if (!reads(other, v) || after.count(other)) continue;
          wires.push_back({other, {id, 0, 0, Route::kControl, false}});
          ++plan_->pending_[id];
        }
      }
    }
  }

  void LayEdges(std::vector<Wire>& wires,
                const std::vector<std::vector<PlanEdge>>& arg_wires) {
    // Edges of one node stand together, in the order they were made.
    for (const Wire& w : wires) ++plan_->nodes_[w.from].num_edges;
    uint32_t next = 0;
    for (PlanNode& node : plan_->nodes_) {
      node.first_edge = next;
      next += node.num_edges;
      node.num_edges = 0;
    }
    auto& edges = plan_->edges_;
    edges.resize(next);
    for (const Wire& w : wires) {
      PlanNode& from = plan_->nodes_[w.from];
      edges[from.first_edge + from.num_edges++] = w.edge;
    }
    // The last data edge of each output may take the value instead of sharing.
    for (const PlanNode& node : plan_->nodes_) {
      std::vector<bool> taken(node.num_outputs, false);
      for (uint32_t k = node.num_edges; k-- > 0;) {
        PlanEdge& e = edges[node.first_edge + k];
        if (e.route == Route::kControl) continue;
        e.last = !taken[e.output];
        taken[e.output] = true;
      }
    }
    for (const auto& list : arg_wires) {
      plan_->arg_edges_.push_back({static_cast<uint32_t>(edges.size()),
                                   static_cast<uint32_t>(list.size())});
      edges.insert(edges.end(), list.begin(), list.end());
      if (!list.empty()) edges.back().last = true;
    }
  }

  const PlanOptions& options_;
  std::unique_ptr<Plan> plan_;
  std::vector<Node*> order_;
  std::unordered_map<const Node*, Array> preset_;
  std::unordered_map<Value, std::pair<uint32_t, int>, ValueHash> producer_;
  std::unordered_map<const Node*, uint32_t> plan_id_;
  std::unordered_map<Value, bool, ValueHash> results_;
  std::unordered_set<Value, ValueHash> captured_;
  bool captured_known_ = false;
  std::vector<std::vector<Value>> inputs_;   // by plan node
  std::vector<std::vector<Node*>> members_;  // by plan node
  std::vector<float> costs_;
};

Result<std::shared_ptr<const Plan>> Plan::Build(std::unique_ptr<Graph> graph,
                                                const PlanOptions& options) {
  return PlanBuilder(std::move(graph), options).Build();
}

}  // namespace sluice
