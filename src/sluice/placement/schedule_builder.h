// ScheduleBuilder: translates the regions of a graph to the tasks of a
// Schedule. Lives on the stack of the thread that builds the Schedule.
#pragma once

#include <algorithm>
#include <vector>

#include "sluice/placement/schedule.h"

namespace sluice {

class ScheduleBuilder {
 public:
  ScheduleBuilder(Schedule& out, const ValueFlow& flow, const Homes& homes,
                  const std::vector<int>& unit_of, size_t num_units,
                  const PlacementOptions& options)
      : out_(out),
        flow_(flow),
        homes_(homes),
        unit_of_(unit_of),
        options_(options),
        made_by_(static_cast<size_t>(flow.num_values()), -1),
        weight_(made_by_.size(), 1),
        last_use_(made_by_.size(), -1) {
    out_.num_devices_ = static_cast<int>(options.devices.size());
    out_.neighbours_.resize(num_units);
    out_.value_bytes_.resize(made_by_.size());
    out_.copy_bytes_.resize(made_by_.size());
    out_.value_unit_.resize(made_by_.size(), -1);
  }

  void Run(const Region& root);

 private:
  using Edge = Schedule::Edge;
  using Task = Schedule::Task;

  // The arguments of a loop's condition are those of its body.
  size_t Id(Value v) const {
    if (v.node->is_args()) {
      const Node* owner = v.node->region()->owner();
      if (owner && owner->op().flow == Flow::kLoop &&
          owner->regions().size() == 2) {
        v = owner->regions()[1]->arg(v.index);
      }
    }
    return static_cast<size_t>(flow_.IdOf(v));
  }

  int UnitOfNode(const Node* node) const {
    return node ? unit_of_[static_cast<size_t>(node->id())] : -1;
  }
  int HomeUnit(const Value& v) const { return UnitOfNode(homes_.Of(v)); }

  void DescribeDevices();

  // ---- Tasks ----

  // The edges of the task follow; then call EndTask.
  int BeginTask(int unit, bool works) {
    Task task{};
    task.unit = unit;
    task.first_edge = static_cast<int>(out_.edges_.size());
    task.works = works;
    out_.tasks_.push_back(task);
    out_.seconds_.resize(out_.seconds_.size() +
                         static_cast<size_t>(out_.num_devices_));
    return out_.num_tasks() - 1;
  }
  void EndTask() {
    Task& task = out_.tasks_.back();
    task.num_edges = static_cast<int>(out_.edges_.size()) - task.first_edge;
  }
  void After(int task) {
    if (task >= 0) out_.edges_.push_back({task, -1, -1, 0, 0});
  }
  // Constants are available everywhere.
  void Reads(const Value& v);
  // Order only; nothing is copied.
  void Awaits(const Value& v) { After(made_by_[Id(v)]); }

  void Meet(int a, int b) {
    if (a < 0 || b < 0 || a == b) return;
    out_.neighbours_[static_cast<size_t>(a)].push_back(b);
    out_.neighbours_[static_cast<size_t>(b)].push_back(a);
  }

  void Made(const Value& v, int task, double weight) {
    made_by_[Id(v)] = task;
    weight_[Id(v)] = weight;
  }

  // ---- Nodes ----

  void AddRegion(const Region& region, double weight, int gate) {
    for (Node* node : region.nodes()) AddNode(*node, weight, gate);
  }

  void AddNode(Node& node, double weight, int gate);

  void AddPlain(Node& node, double weight, int gate);

  void SetSeconds(const Node& node, int task, double weight);

  // A step of control flow on the host that reads `v`.
  int AddDecision(const Value& v, double weight, int gate);

  void AddBranch(Node& node, double weight, int gate);

  void AddLoop(Node& node, double weight, int gate);

  // Its nodes are placed at the function, weighted by the number of its calls.
  void AddFunction(Node& node, double weight, int gate);

  // Waits for the nodes of its function; its values pass through the host.
  void AddCall(Node& node, double weight, int gate);

  void Finish();

  Schedule& out_;
  const ValueFlow& flow_;
  const Homes& homes_;
  const std::vector<int>& unit_of_;
  const PlacementOptions& options_;
  // The producing task, by value; -1: available at the start.
  std::vector<int> made_by_;
  std::vector<double> weight_;  // how often a value is computed
  std::vector<int> last_use_;   // the task
  std::vector<size_t> open_;    // enclosing loops
};

}  // namespace sluice
