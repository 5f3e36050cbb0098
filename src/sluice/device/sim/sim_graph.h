// SimGraph: work of a simulated device that is built once and launched many
// times, with conditional nodes, under the rules of CUDA graphs. A program that
// the simulator accepts is one that a GPU accepts.
//
// A graph is built node by node; each node names the earlier nodes it comes
// after. Instantiate() checks the rules and creates a SimGraphExec from a copy;
// launching it is one piece of work on a stream. Breaking one of these rules is
// an error that names the node:
//  - the body of a conditional node, including nested graphs, holds only
//    kernels, copies, fills, empty nodes, child graphs and conditional nodes:
//    no host functions, no memory nodes, no events;
//  - everything is on one device, at the given addresses;
//  - a condition belongs to one node. Exactly one kernel sets it, in the same
//    graph before that node; none is needed if it has a value at launch; a
//    WHILE has one more such kernel, in its body;
//  - nodes that touch the same bytes are ordered, unless all only read them.
//
// Not thread safe while it is built; its device must outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/device/sim/sim_stream.h"
#include "sluice/device/sim/sim_work.h"

namespace sluice {

class SimDevice;
class SimGraph;
class SimGraphExec;

// The value that a conditional node tests, set by a kernel.
class SimCondition {
 public:
  SimCondition(std::string name, std::optional<uint32_t> at_launch)
      : name_(std::move(name)), at_launch_(at_launch) {}
  const std::string& name() const { return name_; }
  const std::optional<uint32_t>& at_launch() const { return at_launch_; }

  // REQUIRES: called by the kernel that was registered as its setter.
  void Set(uint32_t value) { value_ = value; }
  // Empty while it has not been set since the launch.
  const std::optional<uint32_t>& value() const { return value_; }
  void Launch() { value_ = at_launch_; }

 private:
  const std::string name_;
  const std::optional<uint32_t> at_launch_;
  // Accessed by the executing graph; only one executes at a time.
  std::optional<uint32_t> value_;
};
using SimConditionRef = std::shared_ptr<SimCondition>;

struct SimGraphNode {
  enum class Kind : uint8_t {
    kKernel,
    kCopy,
    kFill,
    kEmpty,
    kChild,
    kIf,      // nonzero: the first body; else the second, if any
    kWhile,   // the body, while it is nonzero
    kSwitch,  // body number `value`; none if out of range
    kHost,
    kMemory,
    kEventRecord,
    kEventWait,
  };
  Kind kind = Kind::kEmpty;
  std::vector<int> after;
  SimWork work = {};  // its label is the node's name
  bool crosses_link = false;
  SimConditionRef sets = {}, decides = {};
  std::vector<std::shared_ptr<SimGraph>> bodies = {};  // or the child
  EventRef wait = {};
  std::shared_ptr<EventRef> record = {};
  Array memory = {};

  bool conditional() const {
    return kind == Kind::kIf || kind == Kind::kWhile || kind == Kind::kSwitch;
  }
  std::string ToString() const;  // "kernel \"add\""
};

class SimGraph {
 public:
  explicit SimGraph(SimDevice& device, std::string name = "graph");

  // A node is identified by its number; `after` has numbers of nodes of this
  // graph.
  using After = std::vector<int>;
  int AddKernel(SimWork work, After after = {}, SimConditionRef sets = {});
  int AddCopy(const Place& to, const Place& from, int64_t bytes,
              After after = {});
  int AddFill(const Place& to, uint8_t value, int64_t bytes, After after = {});
  int AddEmpty(After after = {});
  int AddChild(const SimGraph& child, After after = {});

  // `at_launch`: its value at the start of a launch.
  SimConditionRef NewCondition(std::string name,
                               std::optional<uint32_t> at_launch = {});
  // Bodies are graphs owned by this one; add nodes to them.
  struct Conditional {
    int node = 0;
    std::vector<SimGraph*> bodies;
  };
  Conditional AddIf(SimConditionRef condition, After after = {},
                    bool with_else = false);
  Conditional AddWhile(SimConditionRef condition, After after = {});
  Conditional AddSwitch(SimConditionRef condition, int bodies,
                        After after = {});

  // Nodes that a body cannot contain. A host function must not touch the memory
  // of the device.
  int AddHost(std::string label, std::function<void()> run, After after = {});
  // Memory that lives as long as the graph and all its copies. Error: out of
  // memory.
  Result<Array> AddMemory(DType dtype, const Shape& shape, After after = {});
  // Each launch waits for the event before it starts.
  int AddEventWait(EventRef event, After after = {});
  // After each launch the slot holds an event for its end.
  int AddEventRecord(std::shared_ptr<EventRef> slot, After after = {});

  Result<std::unique_ptr<SimGraphExec>> Instantiate() const;

  SimDevice& device() const { return *device_; }
  const std::string& name() const { return name_; }
  const std::vector<SimGraphNode>& nodes() const { return nodes_; }
  const std::vector<SimConditionRef>& conditions() const { return conditions_; }
  // A deep copy, including all bodies.
  SimGraph Clone() const;

 private:
  int Add(SimGraphNode node);
  Conditional AddConditional(SimGraphNode::Kind kind, SimConditionRef condition,
                             int bodies, After after);

  SimDevice* device_;
  std::string name_;
  std::vector<SimGraphNode> nodes_;
  std::vector<SimConditionRef> conditions_;  // created here
};

// All bytes that nodes of the graph touch, including bodies and children.
void CollectRanges(const SimGraph& graph, std::vector<ByteRange>& reads,
                   std::vector<ByteRange>& writes);

// Error: the first broken rule of the list above, with the node.
Status CheckGraph(const SimGraph& graph);

// A graph ready to launch. As thread safe as its stream; may be destroyed
// during a launch.
class SimGraphExec {
 public:
  explicit SimGraphExec(std::shared_ptr<const SimGraph> graph);
  // One piece of work, whose time is that of the longest path through its
  // nodes. Launches of one graph run one after another. Error: a stream of
  // another device.
  Status Launch(SimStream& stream);

 private:
  const std::shared_ptr<const SimGraph> graph_;
  std::vector<ByteRange> reads_, writes_;
  EventRef last_;  // the end of the last launch
};

}  // namespace sluice
