// A Plan is a graph made ready to run: a dataflow of islands and single nodes
// with every slot, edge and count fixed. It is immutable after Build; any
// number of Steps may share it from any thread. It owns its graph.
//
// Each PlanNode waits for its pending count to reach zero, reads its inputs
// from consecutive slots of its block, and delivers its outputs along its
// edges. Constants and resource handles are put into their slots when a block
// is created and stay there from step to step.
//
// Nodes belong to frames: the root, one per loop, one per recursive function. A
// block holds one activation of a frame: the root, an iteration or a call.
// Enter, Exit and NextIteration are not nodes but kinds of edges.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sluice/device/device.h"
#include "sluice/graph/effects.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/launch/compiled_piece.h"
#include "sluice/launch/kernel_call.h"
#include "sluice/plan/executor_choice.h"
#include "sluice/plan/lower_control_flow.h"

namespace sluice {

class ResourceManager;

// A node that takes at least this long is worth moving to another thread.
inline constexpr double kHeavyNanos = 5000;
// A node that takes less than this gains nothing from atomic counting, which is
// the cost of sharing a step with another thread.
inline constexpr float kShareNanos = 250;

// The device index of a node fits in a byte.
inline constexpr size_t kMaxPlanDevices = 256;

// State that others keep with a plan for its whole life: its idle steps.
class KeptWithPlan {
 public:
  virtual ~KeptWithPlan() = default;
};

struct PlanOptions {
  ExecutorChoice executor = ExecutorChoice::kAuto;
  bool fuse = true;
  // Handle ops look up their resources here while the plan is built.
  ResourceManager* resources = nullptr;
  // The device name of each fed value; missing entries mean the host.
  std::vector<std::string> args_at;
  // The number of threads in the pool that runs the plan's steps.
  int threads = 1;
  // The host time of such a node in traced runs; negative if unknown. May be
  // null.
  std::function<double(const Node&)> measured_nanos;
};

enum class NodeKind : uint8_t {
  kKernel,
  kElementwise,
  kLaunch,   // a kernel on a device that runs behind the host
  kCopy,     // to its device, from wherever its input is
  kSwapOut,  // a copy used where memory is short
  kAsync,
  kIsland,
  kBytecode,
  kSwitch,  // inputs: data, predicate; one output stays empty
  kMerge,   // slots: the value that came first, and its number
  kPass,    // forwards its input, or only waits
  kCall,    // starts an activation of a function
};

// The effect of an arrival on the receiver.
enum class Route : uint8_t {
  kSlot,     // a value for a slot
  kControl,  // dead or alive, no value
  kOrder,    // only tells that the sender has finished
  kMerge,    // a value for a Merge; `slot` is the input number
  kMergeControl,
  kFetch,   // a result of the step
  kReturn,  // a result of the enclosing function
};

// The block of the receiver, seen from the block of the sender.
enum class Way : uint8_t {
  kHere,
  kNext,      // the next iteration
  kExit,      // the block the frame was entered from
  kEnter,     // iteration 0 of a frame below
  kConstant,  // all iterations of a frame below; `node` is the constant
};

inline constexpr uint16_t kNoOutput = 0xffff;

// The count of a node is its missing inputs; this bit means that one was dead.
inline constexpr uint32_t kDeadBit = 1u << 31;
// A Switch has fired, and its decision.
inline constexpr uint32_t kDecided = 1u << 29;
inline constexpr uint32_t kDecidedTrue = 1u << 30;
// The count of a Merge: the low bits count missing controls, the next bits
// count the inputs that must still turn out dead before the Merge is dead, the
// rest are its state.
inline constexpr uint32_t kMergeControls = (1u << 14) - 1;
inline constexpr uint32_t kMergeDeadShift = 14;
inline constexpr uint32_t kMergeDeadUnit = 1u << kMergeDeadShift;
inline constexpr uint32_t kMergeDeadMask = kMergeControls << kMergeDeadShift;
// A sender has claimed the slot.
inline constexpr uint32_t kMergeTaken = 1u << 28;
inline constexpr uint32_t kMergeLive = 1u << 29;  // the value is in its slot
inline constexpr uint32_t kMergeFired = 1u << 30;

struct PlanEdge {
  uint32_t node;  // the receiver (or the result's index for kFetch, kReturn)
  uint32_t slot;
  // kExit: index of the frame's exit; kEnter, kConstant: index of the child
  // frame.
  uint32_t where = 0;
  uint16_t output = 0;  // which output of the sender, or kNoOutput
  Route route = Route::kSlot;
  Way way = Way::kHere;
  bool last = false;  // the last edge of that output: it may move the value
};

// The part of a node that every firing touches.
struct PlanNode {
  NodeKind kind = NodeKind::kKernel;
  bool heavy = false;        // worth another thread
  bool uses_tag = false;     // its results depend on iteration and call
  bool sticky = false;       // some of its slots keep their values
  bool wants_index = false;  // a Merge whose second output is read
  uint8_t device = 0;        // index in Plan::devices()
  uint16_t num_inputs = 0, num_outputs = 0;
  uint32_t first_slot = 0;
  uint32_t first_edge = 0, num_edges = 0;
  const OpRecord* op = nullptr;  // null for islands
  const Node* node = nullptr;
};

// The part that only kernels, errors and reports read.
struct PlanNodeInfo : KernelCall {
  const Node* origin = nullptr;  // the user's node for errors, e.g. a loop
  uint32_t frame = 0;
  uint32_t callee = 0;             // the frame a kCall starts
  std::vector<const Node*> calls;  // inlined calls around it, innermost first
  std::unique_ptr<CompiledPiece> piece;
  std::string why_alone;  // why it is not part of an island
  // For an island over several CPU devices: the device whose memory each output
  // uses. Empty: all outputs use the island's own device.
  std::vector<uint8_t> out_devices;
};

// One kind of frame: everything its blocks have in common.
struct FrameInfo {
  struct Range {
    uint32_t first = 0, count = 0;
  };
  struct Preset {
    uint32_t slot;
    Array value;
  };
  struct PresetResult {
    int result;
    Array value;
  };
  std::string name;
  int parent = -1;  // -1: the root, or a function
  bool is_call = false;
  uint32_t child = 0;              // index among the parent's children
  uint32_t depth = 0;              // number of enclosing loops, for scheduling
  std::vector<uint32_t> children;  // frames
  uint32_t first_node = 0, num_nodes = 0, num_slots = 0;
  uint32_t window = 1;  // iterations in flight at once
  uint32_t enters = 0;  // arrivals that iteration 0 waits for before it ends
  // Counts at the start, and counts once all constants have arrived.
  std::vector<uint32_t> pending, pending_ready;
  // Nodes that wait for nothing, under either count.
  std::vector<uint32_t> sources, sources_ready;
  std::vector<Preset> presets;
  std::vector<uint8_t> sticky;   // by slot: kept from one firing to the next
  std::vector<Range> constants;  // edges of each constant
  std::vector<uint32_t> exits;   // edges by which values leave
  std::vector<Range> args;       // edges of the arguments
  std::vector<PresetResult> preset_results;
  uint32_t num_results = 0;
  const Node* loop = nullptr;      // for errors; null for raw frames
  std::string why;                 // why it is not a compiled piece
  std::vector<const Node*> calls;  // as in PlanNodeInfo
  uint64_t key = 0;                // for the random numbers of iterations
  // Values may remain in slots because a Merge takes only the first of several.
  bool leaves_values = false;
  bool slow_constants = false;  // a Merge reads one, so there is no shortcut
};

class Plan {
 public:
  // Takes over `graph`, whose root arguments, results and targets are the
  // feeds, fetches and nodes to run.
  static Result<std::shared_ptr<const Plan>> Build(std::unique_ptr<Graph> graph,
                                                   const PlanOptions& options);
  ~Plan();

  const Graph& graph() const { return *graph_; }
  // The graph that the nodes were made from: the lowered graph if there is one.
  const Graph& flat_graph() const {
    return lowered_.graph ? *lowered_.graph : *graph_;
  }
  // The node of graph() that a node of flat_graph() represents.
  const Node& SourceOf(const Node& node) const {
    auto it = lowered_.origins.find(&node);
    return it == lowered_.origins.end() ? node : *it->second.node;
  }
  std::span<const PlanNode> nodes() const { return nodes_; }
  const PlanNodeInfo& info(uint32_t node) const { return infos_[node]; }
  std::span<const PlanEdge> edges() const { return edges_; }
  std::span<const FrameInfo> frames() const { return frames_; }
  std::span<const PlanEdge> edges_of(const FrameInfo::Range& r) const {
    return {edges_.data() + r.first, r.count};
  }
  // The devices its nodes run on; the host is the first.
  std::span<Device* const> devices() const { return devices_; }
  int num_args() const { return graph_->root().num_args(); }
  int num_results() const {
    return static_cast<int>(graph_->root().results().size());
  }
  // Whether the value fed for an argument must not change while a step runs.
  bool copies_arg(int i) const { return copied_args_[static_cast<size_t>(i)]; }
  // Nanoseconds per firing: an estimate at first, then updated by occasional
  // measurements.
  float cost_ns(uint32_t node) const {
    return costs_[node].load(std::memory_order_relaxed);
  }
  void ObserveCost(uint32_t node, float nanos) const;
  // False if every node is so short that a second thread would only cost time.
  bool worth_sharing() const { return worth_sharing_; }
  // Whether a step must wait for its GPUs before it ends: some nodes are
  // launched there individually and may report errors later.
  bool waits_for_gpus() const { return waits_for_gpus_; }

  // Reports islands, fused loops, kernels, bytes, and why the other nodes are
  // not in islands.
  std::string Explain() const;

  // Returns the object that the first caller's `make` created; thread safe.
  KeptWithPlan& Kept(std::unique_ptr<KeptWithPlan> (*make)()) const;

 private:
  friend class PlanBuilder;
  Plan();

  std::unique_ptr<Graph> graph_;
  Lowered lowered_;  // its graph is null when nothing was lowered
  std::vector<EffectEdge> effects_;
  std::vector<PlanNode> nodes_;
  std::vector<PlanNodeInfo> infos_;
  std::vector<PlanEdge> edges_;
  std::vector<FrameInfo> frames_;
  std::vector<Device*> devices_;
  std::unique_ptr<std::atomic<float>[]> costs_;
  bool worth_sharing_ = false;
  bool waits_for_gpus_ = false;
  std::vector<bool> copied_args_;

  mutable std::atomic<KeptWithPlan*> kept_{nullptr};  // owned
};

}  // namespace sluice
