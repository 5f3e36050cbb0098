// SimGraph: work of a simulated device put together once and launched many
// times, with conditional nodes, under the rules that hold for CUDA graphs, so
// that a program the simulator takes is one a GPU takes.
//
// A graph is built node by node; each says which earlier ones it comes after.
// Instantiate() checks the rules and makes a SimGraphExec of a copy; launching
// that is one piece of work on a stream. The rules, each of them an error that
// names the node:
//  - the body of a conditional node holds kernels, copies, fills, empty nodes,
//    child graphs and conditional nodes, and so do the graphs in it: no host
//    functions, no memory nodes, no events;
//  - all is on one device, at the addresses that were given;
//  - a condition belongs to one node. The kernel that sets it is one, of the
//    same graph and before it, or none where it has a value at launch; for a
//    WHILE there is one more, in its body;
//  - nodes that touch the same bytes, and not only read them, are in an order.
//
// Not thread safe while it is built; its device outlives it.
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

// The value that decides at a conditional node, set by a kernel.
class SimCondition {
 public:
  SimCondition(std::string name, std::optional<uint32_t> at_launch)
      : name_(std::move(name)), at_launch_(at_launch) {}
  const std::string& name() const { return name_; }
  const std::optional<uint32_t>& at_launch() const { return at_launch_; }

  // REQUIRES: called by the kernel that was added as the one that sets it.
  void Set(uint32_t value) { value_ = value; }
  // Nothing while nobody has set it since the launch.
  const std::optional<uint32_t>& value() const { return value_; }
  void Launch() { value_ = at_launch_; }

 private:
  const std::string name_;
  const std::optional<uint32_t> at_launch_;
  // Touched by the graph that is being executed, which is one at a time.
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
    kIf,      // nonzero: the first body; else the second, if there is one
    kWhile,   // the body as long as it is nonzero
    kSwitch,  // body number `value`, none beyond the last
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

  // A node is told by its number; `after` are numbers of this graph's nodes.
  using After = std::vector<int>;
  int AddKernel(SimWork work, After after = {}, SimConditionRef sets = {});
  int AddCopy(const Place& to, const Place& from, int64_t bytes,
              After after = {});
  int AddFill(const Place& to, uint8_t value, int64_t bytes, After after = {});
  int AddEmpty(After after = {});
  int AddChild(const SimGraph& child, After after = {});

  // `at_launch`: what it is when a launch begins.
  SimConditionRef NewCondition(std::string name,
                               std::optional<uint32_t> at_launch = {});
  // Bodies are graphs to add nodes to, owned by this one.
  struct Conditional {
    int node = 0;
    std::vector<SimGraph*> bodies;
  };
  Conditional AddIf(SimConditionRef condition, After after = {},
                    bool with_else = false);
  Conditional AddWhile(SimConditionRef condition, After after = {});
  Conditional AddSwitch(SimConditionRef condition, int bodies,
                        After after = {});

  // Those that cannot be in a body. A host function may not touch the device's
  // memory.
  int AddHost(std::string label, std::function<void()> run, After after = {});
  // Memory that lives as long as the graph and all made of it. Error: out of
  // memory.
  Result<Array> AddMemory(DType dtype, const Shape& shape, After after = {});
  // Each launch waits for the event before it begins.
  int AddEventWait(EventRef event, After after = {});
  // After each launch the slot holds an event at its end.
  int AddEventRecord(std::shared_ptr<EventRef> slot, After after = {});

  Result<std::unique_ptr<SimGraphExec>> Instantiate() const;

  SimDevice& device() const { return *device_; }
  const std::string& name() const { return name_; }
  const std::vector<SimGraphNode>& nodes() const { return nodes_; }
  const std::vector<SimConditionRef>& conditions() const { return conditions_; }
  // A copy with copies of all bodies.
  SimGraph Clone() const;

 private:
  int Add(SimGraphNode node);
  Conditional AddConditional(SimGraphNode::Kind kind, SimConditionRef condition,
                             int bodies, After after);

  SimDevice* device_;
  std::string name_;
  std::vector<SimGraphNode> nodes_;
  std::vector<SimConditionRef> conditions_;  // made here
};

// All bytes that nodes of the graph touch, bodies and children included.
void CollectRanges(const SimGraph& graph, std::vector<ByteRange>& reads,
                   std::vector<ByteRange>& writes);

// Error: the first rule of the list above that is broken, and by which node.
Status CheckGraph(const SimGraph& graph);

// A graph ready to launch. Thread safe as its stream is; may go away while a
// launch is under way.
class SimGraphExec {
 public:
  explicit SimGraphExec(std::shared_ptr<const SimGraph> graph);
  // One piece of work, which takes what its nodes take on the longest way
  // through them; launches of one graph come one after the other. Error: a
  // stream of another device.
  Status Launch(SimStream& stream);

 private:
  const std::shared_ptr<const SimGraph> graph_;
  std::vector<ByteRange> reads_, writes_;
  EventRef last_;  // the end of the last launch
};

}  // namespace sluice
