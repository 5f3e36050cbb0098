// Builds a Plan from a graph: lowering, order, frames and islands, then one
// pass that numbers nodes and slots and one that lays out the edges. Used by
// one thread for one Build. Part of plan_builder.cc, plan_nodes.cc and
// plan_edges.cc.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sluice/placement/value_places.h"
#include "sluice/plan/frames.h"
#include "sluice/plan/plan.h"
#include "sluice/tape/islands.h"

namespace sluice {

class PlanBuilder {
 public:
  PlanBuilder(std::unique_ptr<Graph> graph, const PlanOptions& options)
      : options_(options), plan_(new Plan) {
    plan_->graph_ = std::move(graph);
  }
  Result<std::shared_ptr<const Plan>> Build();

 private:
  // The root or a function: code with arguments and results.
  struct Code {
    const Region* region;
    const Node* function;  // null for the root
    std::vector<Node*> order;
    uint32_t base = 0;  // frame
  };
  // One route from a node that runs to a reader of its value.
  struct Path {
    Value source;
    Way way = Way::kHere;
    const Node* via = nullptr;  // the Enter
  };
  struct Wire {
    uint32_t from;
    PlanEdge edge;
  };

  // ---- plan_builder.cc ----
  Status FindDevices(const Region& region);
  std::string WhyOnTokens(const Node& node);
  bool OnHost(const Value& v);
  Device* GpuOfLoop(const Node& node);
  Status FindCode();
  Status FindPresets(const Code& code);
  Status FindFrames();
  void DropEffectsAcrossFrames();
  bool IsPreset(const Node* node) const { return preset_.count(node) > 0; }
  bool IsResult(const Value& v) const { return results_.count(v) > 0; }
  uint32_t RunsIn(const Node& node) const {
    return static_cast<uint32_t>(frame_map_.runs_in(node));
  }
  // ---- Structural nodes that become edges ----
  void FindVanishing(const Code& code);
  bool CanVanish(const Node& node);
  bool IsLoopMerge(const Node& merge) const;
  bool IsReadInPlace(const Node& copy);
  std::vector<Path> Resolve(const Value& v) const;

  // ---- plan_nodes.cc ----
  uint8_t DeviceOf(const Node& node) const;
  Status MakeNodes();
  Status MakeNodes(const Code& code, uint32_t frame,
                   const IslandChoice& islands);
  uint32_t NewNode(uint32_t frame, NodeKind kind, size_t inputs,
                   size_t outputs);
  uint32_t AddSingle(Node& node, std::string why);
  void AddPresetPass(uint32_t frame, const Node& node, int input);
  Status AddIsland(const std::vector<Node*>& nodes);
  Status AddBytecode(Node& node);
  void SetOutputs(Node& node, uint32_t id);
  bool ReadOutside(const Value& v,
                   const std::unordered_set<const Node*>& inside);
  bool IsCaptured(const Value& v);

  // ---- plan_edges.cc ----
  Status MakeEdges();
  void InputEdges(uint32_t id);
  void Connect(const Value& v, PlanEdge edge);
  void ControlEdges();
  void Wait(const Node& before, uint32_t after, Route route);
  void ConstantWires();
  Status ResultEdges(const Code& code);
  bool Overwrites(uint32_t id, size_t i);
  std::unordered_set<uint32_t> After(uint32_t from) const;
  void ReadersFirst();
  void LayEdges();
  void FinishFrames();

  const PlanOptions& options_;
  std::unique_ptr<Plan> plan_;
  std::vector<Code> codes_;
  FrameMap frame_map_;
  std::unordered_map<std::string, uint8_t> device_index_;
  std::optional<ValuePlaces> places_;  // where a device runs behind the host
  std::unordered_map<const Node*, Device*> gpu_loops_;  // null: runs on tokens
  std::unordered_map<const Node*, std::string> why_no_gpu_loop_;
  std::unordered_map<const Node*, Array> preset_;
  std::unordered_set<const Node*> vanished_;
  std::unordered_set<const Node*> ordered_;  // must wait for an order edge
  std::unordered_map<Value, std::pair<uint32_t, int>, ValueHash> producer_;
  std::unordered_map<const Node*, uint32_t> plan_id_;
  std::map<std::pair<const Node*, int>, uint32_t> preset_pass_;
  std::unordered_set<Value, ValueHash> results_;
  std::unordered_set<Value, ValueHash> captured_;
  bool captured_known_ = false;
  std::vector<std::vector<Value>> inputs_;   // by plan node
  std::vector<std::vector<Node*>> members_;  // by plan node
  std::vector<float> costs_;

  std::vector<Wire> wires_;
  std::map<std::pair<const Node*, int>, std::vector<PlanEdge>> arg_wires_;
  struct Constant {
    uint32_t index = 0;
    Value source;
    std::vector<PlanEdge> readers;
  };
  std::map<int, std::pair<const Node*, Constant>> constants_;  // by node id
  std::vector<uint32_t> pending_, constant_inputs_;            // by plan node
  std::set<std::pair<const Node*, uint32_t>> waits_;
};

}  // namespace sluice
