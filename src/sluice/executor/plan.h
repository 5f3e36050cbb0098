// A Plan is a graph made ready to run: a dataflow of islands and single nodes
// with every slot, edge and count fixed. Immutable after Build; any number of
// Steps may share it from any thread. It owns the graph it was made from.
//
// What runs: each PlanNode waits for its pending count to reach zero, reads its
// inputs from consecutive slots of the step's block, and delivers its outputs
// along its edges. Constants and resource handles are put into their slots when
// a block is made and stay there from step to step.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/executor/executor_choice.h"
#include "sluice/executor/native_code.h"
#include "sluice/executor/tape.h"
#include "sluice/graph/effects.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/block.h"

namespace sluice {

class ResourceManager;
class Step;

struct PlanOptions {
  ExecutorChoice executor = ExecutorChoice::kAuto;
  bool fuse = true;
  // Where handle ops look up their resources while the plan is built.
  ResourceManager* resources = nullptr;
};

enum class NodeKind : uint8_t {
  kKernel,
  kElementwise,
  kAsync,
  kIsland,
  kNative
};

// Where an edge delivers to. Loops will add routes to the next iteration, the
// parent and the child frame; everything else of the machine stays.
enum class Route : uint8_t { kSlot, kControl, kFetch };

struct PlanEdge {
  uint32_t node;  // the receiver (or the result's index for kFetch)
  uint32_t slot;
  uint16_t output;  // which output of the sender
  Route route;
  bool last;  // the last edge of that output: it may take the value
};

// The part of a node the machine touches at every firing.
struct PlanNode {
  NodeKind kind = NodeKind::kKernel;
  bool heavy = false;  // worth another thread by itself
  uint16_t num_inputs = 0, num_outputs = 0;
  uint32_t first_slot = 0;
  uint32_t first_edge = 0, num_edges = 0;
  const OpRecord* op = nullptr;  // null for islands
  const Node* node = nullptr;
};

// The part only kernels, errors and reports look at.
struct PlanNodeInfo {
  const Node* node = nullptr;  // as in PlanNode
  NodeInfo info;
  std::vector<DType> out_dtypes;
  BlockKernel block;
  std::unique_ptr<Tape> tape;
  std::unique_ptr<NativeCode> native;
  std::string why_alone;  // why it is in no island
};

class Plan {
 public:
  // Takes over `graph`, whose root arguments, results and targets say what is
  // fed, fetched and run.
  static Result<std::shared_ptr<const Plan>> Build(std::unique_ptr<Graph> graph,
                                                   const PlanOptions& options);
  ~Plan();

  const Graph& graph() const { return *graph_; }
  std::span<const PlanNode> nodes() const { return nodes_; }
  const PlanNodeInfo& info(uint32_t node) const { return infos_[node]; }
  std::span<const PlanEdge> edges() const { return edges_; }
  std::span<const PlanEdge> arg_edges(int arg) const {
    const Range& r = arg_edges_[static_cast<size_t>(arg)];
    return {edges_.data() + r.first, r.count};
  }
  std::span<const uint32_t> initial_pending() const { return pending_; }
  std::span<const uint32_t> sources() const { return sources_; }
  size_t num_slots() const { return num_slots_; }
  // Slots that hold constants and handles in every step.
  struct Preset {
    uint32_t slot;
    Array value;
  };
  std::span<const Preset> presets() const { return presets_; }
  bool is_preset(uint32_t slot) const { return slot_is_preset_[slot] != 0; }
  // Results that are constants or handles: no edge brings them.
  struct PresetResult {
    int result;
    Array value;
  };
  std::span<const PresetResult> preset_results() const {
    return preset_results_;
  }
  int num_args() const { return graph_->root().num_args(); }
  int num_results() const {
    return static_cast<int>(graph_->root().results().size());
  }
  // Nanoseconds one firing takes: estimated first, then measured now and then.
  float cost_ns(uint32_t node) const {
    return costs_[node].load(std::memory_order_relaxed);
  }
  void ObserveCost(uint32_t node, float nanos) const;
  // False when every node is so short that a second thread could only cost.
  bool worth_sharing() const { return worth_sharing_; }

  // Islands, fused loops, kernels, bytes, and why the rest is alone.
  std::string Explain() const;

  // Steps are kept for reuse: a run borrows one.
  std::unique_ptr<Step> AcquireStep() const;
  void ReleaseStep(std::unique_ptr<Step> step) const;

 private:
  friend class PlanBuilder;
  struct Range {
    uint32_t first = 0, count = 0;
  };
  Plan();

  std::unique_ptr<Graph> graph_;
  std::vector<EffectEdge> effects_;
  std::vector<PlanNode> nodes_;
  std::vector<PlanNodeInfo> infos_;
  std::vector<PlanEdge> edges_;
  std::vector<Range> arg_edges_;
  std::vector<uint32_t> pending_;
  std::vector<uint32_t> sources_;
  std::vector<Preset> presets_;
  std::vector<uint8_t> slot_is_preset_;
  std::vector<PresetResult> preset_results_;
  std::unique_ptr<std::atomic<float>[]> costs_;
  size_t num_slots_ = 0;
  bool worth_sharing_ = false;

  mutable Mutex mu_;
  mutable std::vector<std::unique_ptr<Step>> idle_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice
