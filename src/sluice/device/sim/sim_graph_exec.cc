// Launching a graph: its nodes in order, and how long that takes.

#include <algorithm>
#include <utility>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/device/sim/sim_device.h"
#include "sluice/device/sim/sim_graph.h"

namespace sluice {

namespace {

using Kind = SimGraphNode::Kind;

void StartConditions(const SimGraph& graph) {
  for (const SimConditionRef& condition : graph.conditions()) {
    condition->Launch();
  }
  for (const SimGraphNode& node : graph.nodes()) {
    for (const auto& body : node.bodies) StartConditions(*body);
  }
}

// Nodes that belong to the launch as a whole: of the graph and its children, as
// bodies have none.
void FindEventNodes(const SimGraph& graph,
                    std::vector<const SimGraphNode*>& found) {
  for (const SimGraphNode& node : graph.nodes()) {
    if (node.wait || node.record) found.push_back(&node);
    for (const auto& body : node.bodies) FindEventNodes(*body, found);
  }
}

// One launch.
class Run {
 public:
  explicit Run(const SimDevice& device) : device_(device) {}

  // The longest way through the nodes. They are executed as they were added,
  // which is an order they allow, and those in no order touch nothing of each
  // other.
  double Nodes(const SimGraph& graph) {
    std::vector<double> ends;
    double end = 0;
    for (const SimGraphNode& node : graph.nodes()) {
      double start = 0;
      for (int j : node.after) {
        start = std::max(start, ends[static_cast<size_t>(j)]);
      }
      ends.push_back(start + Node(node));
      end = std::max(end, ends.back());
    }
    return end;
  }
  // Nodes side by side share the device: it does not finish before all work is
  // done.
  double busy_seconds() const { return busy_seconds_; }

 private:
  double Node(const SimGraphNode& node) {
    const SimGraphCosts& costs = device_.options().graph;
    switch (node.kind) {
      case Kind::kKernel:
      case Kind::kFill:
      case Kind::kCopy:
        if (node.work.run) node.work.run();
        return std::max(costs.node_seconds, WorkSeconds(node));
      case Kind::kHost: {
        // Another memory is open meanwhile, so the device's is not.
        OpenMemory host(CpuDevice().memory());
        if (node.work.run) node.work.run();
        return costs.node_seconds;
      }
      case Kind::kChild:
        return Nodes(*node.bodies[0]);
      case Kind::kIf:
        return Branch(node, Value(node) ? 0 : 1, costs.if_seconds);
      case Kind::kSwitch:
        return Branch(node, Value(node), costs.switch_seconds);
      case Kind::kWhile:
        return Loop(node);
      case Kind::kEmpty:
      case Kind::kMemory:
      case Kind::kEventRecord:
      case Kind::kEventWait:
        return 0;
    }
    return 0;
  }

  double WorkSeconds(const SimGraphNode& node) {
    const SimOptions& options = device_.options();
    if (node.crosses_link) {
      return device_.faults().copy_slowdown *
             (options.link_latency_seconds +
              static_cast<double>(node.work.bytes) / 2 /
                  options.link_bytes_per_second);
    }
    double seconds = std::max(
        node.work.flops / options.flops_per_second,
        static_cast<double>(node.work.bytes) / options.bytes_per_second);
    busy_seconds_ += seconds;
    return seconds;
  }

  static uint32_t Value(const SimGraphNode& node) {
    const auto& value = node.decides->value();
    if (!value) {
      throw Error(FailedPrecondition(StrCat(
          node.ToString(), " was reached before its condition was set")));
    }
    return *value;
  }

  double Branch(const SimGraphNode& node, uint32_t body, double seconds) {
    if (body >= node.bodies.size()) {
      return device_.options().graph.skipped_seconds;
    }
    return seconds + Nodes(*node.bodies[body]);
  }

  double Loop(const SimGraphNode& node) {
    const SimGraphCosts& costs = device_.options().graph;
    if (!Value(node)) return costs.skipped_seconds;
    double seconds = 0;
    while (Value(node)) seconds += costs.while_seconds + Nodes(*node.bodies[0]);
    return seconds;
  }

  const SimDevice& device_;
  double busy_seconds_ = 0;
};

}  // namespace

SimGraphExec::SimGraphExec(std::shared_ptr<const SimGraph> graph)
    : graph_(std::move(graph)) {
  CollectRanges(*graph_, reads_, writes_);
}

Status SimGraphExec::Launch(SimStream& stream) {
  if (&stream.sim_device() != &graph_->device()) {
    return InvalidArgument(StrCat("graph \"", EscapeString(graph_->name()),
                                  "\" is for ", graph_->device().name_text(),
                                  "; got a stream of ",
                                  stream.device().name_text()));
  }
  stream.WaitFor(last_);
  std::vector<const SimGraphNode*> events;
  FindEventNodes(*graph_, events);
  for (const SimGraphNode* node : events) stream.WaitFor(node->wait);
  stream.RunTimed({.label = graph_->name(), .reads = reads_, .writes = writes_},
                  [graph = graph_] {
                    StartConditions(*graph);
                    const SimGraphCosts& costs =
                        graph->device().options().graph;
                    Run run(graph->device());
                    double longest = run.Nodes(*graph);
                    return std::max(longest, run.busy_seconds()) +
                           costs.first_seconds - costs.node_seconds;
                  });
  last_ = stream.Record();
  for (const SimGraphNode* node : events) {
    if (node->record) *node->record = last_;
  }
  return OkStatus();
}

}  // namespace sluice
