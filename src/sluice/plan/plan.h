// A Plan is a graph made ready to run: a dataflow of islands and single nodes
// with every slot, edge and count fixed. Immutable after Build; any number of
// Steps may share it from any thread. It owns the graph it was made from.
//
// What runs: each PlanNode waits for its pending count to reach zero, reads its
// inputs from consecutive slots of its block, and delivers its outputs along
// its edges. Constants and resource handles are put into their slots when a
// block is made and stay there from step to step.
//
// Nodes belong to frames: the root, one per loop, one per recursive function.
// A block holds one activation of a frame: the root's one, an iteration, a
// call. Entering, leaving and going round are no nodes but ways an edge takes.
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

// A node that takes at least this long is worth a hop to another thread.
inline constexpr double kHeavyNanos = 5000;
// One that takes less gains nothing from being counted with atomics, which is
// what sharing a step with another thread costs.
inline constexpr float kShareNanos = 250;

// So that a node says where it runs in a byte.
inline constexpr size_t kMaxPlanDevices = 256;

// What others keep with a plan for as long as it lives: its idle steps.
class KeptWithPlan {
 public:
  virtual ~KeptWithPlan() = default;
};

struct PlanOptions {
  ExecutorChoice executor = ExecutorChoice::kAuto;
  bool fuse = true;
  // Where handle ops look up their resources while the plan is built.
  ResourceManager* resources = nullptr;
  // Where what is fed lies, by the device's name; the host when it is not told.
  std::vector<std::string> args_at;
  // Of the pool that runs the plan's steps.
  int threads = 1;
  // What the host took for such a node in runs that were traced; negative, or
  // null: not known.
  std::function<double(const Node&)> measured_nanos;
};

enum class NodeKind : uint8_t {
  kKernel,
  kElementwise,
  kLaunch,   // a kernel on a device that runs behind the host
  kCopy,     // to its device, from wherever its input lies
  kSwapOut,  // the same where memory is short
  kAsync,
  kIsland,
  kBytecode,
  kSwitch,  // inputs: data, predicate; one output stays empty
  kMerge,   // slots: the value that came first, its number
  kPass,    // gives its input on, or just waits
  kCall,    // starts an activation of a function
};

// What arriving means to the receiver.
enum class Route : uint8_t {
  kSlot,     // a value for a slot
  kControl,  // alive or dead, no value
  kOrder,    // neither: only that the sender is done
  kMerge,    // a value for a Merge; `slot` is its number
  kMergeControl,
  kFetch,   // a result of the step
  kReturn,  // a result of the function around
};

// Which block the receiver is in, seen from the sender's.
enum class Way : uint8_t {
  kHere,
  kNext,      // the next iteration
  kExit,      // the block the frame was entered from
  kEnter,     // iteration 0 of a frame below
  kConstant,  // all iterations of a frame below; `node` is the constant
};

inline constexpr uint16_t kNoOutput = 0xffff;

// The count of a node: inputs still to come; and whether one of them was dead.
inline constexpr uint32_t kDeadBit = 1u << 31;
// A Switch that has fired, and what it decided.
inline constexpr uint32_t kDecided = 1u << 29;
inline constexpr uint32_t kDecidedTrue = 1u << 30;
// The count of a Merge: controls still to come in the low bits, then how many
// of its inputs must yet turn out dead before it is; and what has happened.
inline constexpr uint32_t kMergeControls = (1u << 14) - 1;
inline constexpr uint32_t kMergeDeadShift = 14;
inline constexpr uint32_t kMergeDeadUnit = 1u << kMergeDeadShift;
inline constexpr uint32_t kMergeDeadMask = kMergeControls << kMergeDeadShift;
inline constexpr uint32_t kMergeTaken = 1u << 28;  // somebody brings the value
inline constexpr uint32_t kMergeLive = 1u << 29;   // it is in its slot
inline constexpr uint32_t kMergeFired = 1u << 30;

struct PlanEdge {
  uint32_t node;  // the receiver (or the result's index for kFetch, kReturn)
  uint32_t slot;
  uint32_t where = 0;   // kExit: which of the frame's exits; kEnter, kConstant:
                        // which of the frames below
  uint16_t output = 0;  // which output of the sender, or kNoOutput
  Route route = Route::kSlot;
  Way way = Way::kHere;
  bool last = false;  // the last edge of that output: it may take the value
};

// The part of a node the machine touches at every firing.
struct PlanNode {
  NodeKind kind = NodeKind::kKernel;
  bool heavy = false;        // worth another thread by itself
  bool uses_tag = false;     // its numbers depend on iteration and call
  bool sticky = false;       // some of its slots keep their values
  bool wants_index = false;  // a Merge whose second output is read
  uint8_t device = 0;        // of the plan's devices
  uint16_t num_inputs = 0, num_outputs = 0;
  uint32_t first_slot = 0;
  uint32_t first_edge = 0, num_edges = 0;
  const OpRecord* op = nullptr;  // null for islands
  const Node* node = nullptr;
};

// The part only kernels, errors and reports look at.
struct PlanNodeInfo : KernelCall {
  const Node* origin = nullptr;  // the user's, for errors: a loop, perhaps
  uint32_t frame = 0;
  uint32_t callee = 0;             // the frame a kCall starts
  std::vector<const Node*> calls;  // written out around it, innermost first
  std::unique_ptr<CompiledPiece> piece;
  std::string why_alone;  // why it is in no island
  // Of an island over several CPU devices, by output: whose memory it is in.
  // Empty: all are in the island's own.
  std::vector<uint8_t> out_devices;
};

// One kind of frame: what all its blocks have in common.
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
  uint32_t child = 0;              // which of the parent's
  uint32_t depth = 0;              // of loops around, for the order of work
  std::vector<uint32_t> children;  // frames
  uint32_t first_node = 0, num_nodes = 0, num_slots = 0;
  uint32_t window = 1;  // iterations at once
  uint32_t enters = 0;  // arrivals before which iteration 0 cannot end
  // Counts at the start; and when all that is constant has arrived.
  std::vector<uint32_t> pending, pending_ready;
  // Nodes that wait for nothing, with either.
  std::vector<uint32_t> sources, sources_ready;
  std::vector<Preset> presets;
  std::vector<uint8_t> sticky;   // by slot: kept from one firing to the next
  std::vector<Range> constants;  // edges of each constant
  std::vector<uint32_t> exits;   // edges by which values leave
  std::vector<Range> args;       // edges of the arguments
  std::vector<PresetResult> preset_results;
  uint32_t num_results = 0;
  const Node* loop = nullptr;      // for errors; null for raw frames
  std::string why;                 // it is no compiled piece
  std::vector<const Node*> calls;  // as in PlanNodeInfo
  uint64_t key = 0;                // of iterations' random numbers
  // Values may be left in slots: a Merge takes the first of several.
  bool leaves_values = false;
  bool slow_constants = false;  // a Merge reads one: no shortcut
};

class Plan {
 public:
  // Takes over `graph`, whose root arguments, results and targets say what is
  // fed, fetched and run.
  static Result<std::shared_ptr<const Plan>> Build(std::unique_ptr<Graph> graph,
                                                   const PlanOptions& options);
  ~Plan();

  const Graph& graph() const { return *graph_; }
  // What the nodes were made from: the lowered graph, if something was.
  const Graph& flat_graph() const {
    return lowered_.graph ? *lowered_.graph : *graph_;
  }
  // The node of graph() that one of flat_graph() stands for.
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
  // What its nodes run on; the host is the first.
  std::span<Device* const> devices() const { return devices_; }
  int num_args() const { return graph_->root().num_args(); }
  int num_results() const {
    return static_cast<int>(graph_->root().results().size());
  }
  // Whether what is fed for an argument must not change while the step runs.
  bool copies_arg(int i) const { return copied_args_[static_cast<size_t>(i)]; }
  // Nanoseconds one firing takes: estimated first, then measured now and then.
  float cost_ns(uint32_t node) const {
    return costs_[node].load(std::memory_order_relaxed);
  }
  void ObserveCost(uint32_t node, float nanos) const;
  // False when every node is so short that a second thread could only cost.
  bool worth_sharing() const { return worth_sharing_; }
  // Whether a step is over only when its GPUs are: something on them is
  // launched by itself, and may tell the step later what is wrong.
  bool waits_for_gpus() const { return waits_for_gpus_; }

  // Islands, fused loops, kernels, bytes, and why the rest is alone.
  std::string Explain() const;

  // What the first caller's `make` gave; thread safe.
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
