#include <algorithm>

#include "sluice/graph/role_of.h"
#include "sluice/graph/traverse.h"
#include "sluice/placement/node_work.h"
#include "sluice/placement/schedule.h"

namespace sluice {

namespace {

// Nobody knows how long a loop runs; often enough that what is inside matters
// more than what is outside.
constexpr double kAssumedTrips = 16;

}  // namespace

// Lays the regions of a graph out as one list of tasks.
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

  void Run(const Region& root) {
    DescribeDevices();
    AddRegion(root, 1, -1);
    for (const Value& v : root.results()) {
      last_use_[Id(v)] = out_.num_tasks();  // handed out: never released
    }
    Finish();
  }

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

  void DescribeDevices() {
    int n = out_.num_devices_;
    for (int from = 0; from < n; ++from) {
      for (int to = 0; to < n; ++to) {
        LinkModel link;
        if (options_.link && from != to) link = options_.link(from, to);
        out_.bandwidth_.push_back(link.bytes_per_second);
        out_.latency_.push_back(link.latency_seconds);
      }
    }
    for (const DeviceModel& device : options_.devices) {
      out_.capped_ = out_.capped_ || device.memory_bytes < INT64_MAX;
      out_.memory_.push_back(static_cast<double>(device.memory_bytes));
    }
  }

  // ---- Tasks ----

  // The task's edges follow; then EndTask.
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
  // Constants are wherever they are needed.
  void Reads(const Value& v) {
    const Node* home = homes_.Of(v);
    if (home && RoleOf(*home) == Role::kConst) return;
    size_t id = Id(v);
    int unit = UnitOfNode(home);
    double bytes = static_cast<double>(BytesOf(v.type()));
    out_.edges_.push_back(
        {made_by_[id], static_cast<int>(id), unit, bytes, weight_[id]});
    out_.copy_bytes_[id] = bytes;
    out_.value_unit_[id] = unit;
    last_use_[id] = out_.num_tasks() - 1;
    Meet(unit, out_.tasks_.back().unit);
  }
  // Order, and nothing is copied.
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

  void AddNode(Node& node, double weight, int gate) {
    if (RoleOf(node) == Role::kConst) return;
    switch (node.op().flow) {
      case Flow::kBranch:
        return AddBranch(node, weight, gate);
      case Flow::kLoop:
        return AddLoop(node, weight, gate);
      case Flow::kFunction:
        return AddFunction(node, weight, gate);
      case Flow::kCall:
        return AddCall(node, weight, gate);
      default:
        return AddPlain(node, weight, gate);
    }
  }

  void AddPlain(Node& node, double weight, int gate) {
    bool primitive = IsPrimitive(node);
    int unit = UnitOfNode(&node);
    if (primitive && unit < 0 && node.num_outputs() > 0) {
      unit = HomeUnit(node.output(0));
    }
    int task = BeginTask(unit, !primitive);
    After(gate);
    for (const Value& v : node.inputs()) {
      if (IsBackEdge(node, v)) continue;
      if (node.op().shape_only) {
        Awaits(v);
      } else {
        Reads(v);
      }
    }
    EndTask();
    if (!primitive) SetSeconds(node, task, weight);
    for (int i = 0; i < node.num_outputs(); ++i) {
      Value v = node.output(i);
      Made(v, task, weight);
      if (primitive || node.op().view) continue;
      size_t id = Id(v);
      out_.value_bytes_[id] = static_cast<double>(BytesOf(v.type()));
      out_.value_unit_[id] = unit;
      out_.tasks_.back().out_bytes += BytesOf(v.type());
      last_use_[id] = task;
    }
  }

  void SetSeconds(const Node& node, int task, double weight) {
    NodeWork work = WorkOf(node);
    for (int d = 0; d < out_.num_devices_; ++d) {
      const DeviceModel& device = options_.devices[static_cast<size_t>(d)];
      double seconds = -1;
      if (options_.measured_seconds) {
        seconds = options_.measured_seconds(node, d);
      }
      if (seconds < 0) {
        seconds = device.launch_seconds +
                  std::max(work.flops / device.flops_per_second,
                           work.bytes / device.bytes_per_second);
      }
      out_.seconds_[static_cast<size_t>(task * out_.num_devices_ + d)] =
          seconds * weight;
    }
  }

  // A step of control flow on the host that reads `v`.
  int AddDecision(const Value& v, double weight, int gate) {
    int task = BeginTask(-1, false);
    After(gate);
    double whole = weight_[Id(v)];
    weight_[Id(v)] = std::min(whole, weight);
    Reads(v);
    weight_[Id(v)] = whole;
    EndTask();
    return task;
  }

  void AddBranch(Node& node, double weight, int gate) {
    int chosen = AddDecision(node.input(0), weight, gate);
    double share = weight / static_cast<double>(node.regions().size());
    for (const auto& region : node.regions()) {
      AddRegion(*region, share, chosen);
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      int task = BeginTask(HomeUnit(node.output(i)), false);
      After(chosen);
      for (const auto& region : node.regions()) {
        if (static_cast<size_t>(i) < region->results().size()) {
          Reads(region->results()[static_cast<size_t>(i)]);
        }
      }
      EndTask();
      Made(node.output(i), task, weight);
    }
  }

  void AddLoop(Node& node, double weight, int gate) {
    if (node.regions().size() != 2) return;
    const Region &cond = *node.regions()[0], &body = *node.regions()[1];
    if (!open_.empty()) out_.loops_[open_.back()].innermost = false;
    open_.push_back(out_.loops_.size());
    out_.loops_.emplace_back();
    // All that comes in; then one iteration.
    int begin = BeginTask(-1, false);
    out_.tasks_.back().begins = static_cast<int>(open_.back());
    After(gate);
    for (const Value& v : node.inputs()) Awaits(v);
    EndTask();
    for (int i = 0; i < body.num_args() && i < node.num_inputs(); ++i) {
      int task = BeginTask(HomeUnit(body.arg(i)), false);
      out_.tasks_.back().slot = i % Schedule::kSlots;
      After(begin);
      Reads(node.input(i));
      EndTask();
      Made(body.arg(i), task, weight);
    }
    AddRegion(cond, weight, begin);
    int go = begin;
    for (const Value& v : cond.results()) go = AddDecision(v, weight, begin);
    AddRegion(body, weight, go);
    int end = BeginTask(-1, false);
    out_.tasks_.back().ends = static_cast<int>(open_.back());
    After(go);
    for (const Value& v : body.results()) Awaits(v);
    for (const Node* target : body.targets()) {
      if (target->num_outputs() > 0) Awaits({const_cast<Node*>(target), 0});
    }
    EndTask();
    Schedule::Loop& loop = out_.loops_[open_.back()];
    open_.pop_back();
    loop.begin = begin;
    loop.end = end;
    loop.trips = kAssumedTrips;
    const AttrValue* parallel = node.attrs().find("parallel");
    if (parallel) loop.parallel = static_cast<double>(parallel->get<int64_t>());
    for (size_t i = 0; i < body.results().size(); ++i) {
      const Value& v = body.results()[i];
      if (v == body.arg(static_cast<int>(i))) continue;
      loop.carried.emplace_back(static_cast<int>(i) % Schedule::kSlots,
                                made_by_[Id(v)]);
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      int task = BeginTask(HomeUnit(node.output(i)), false);
      After(end);
      if (static_cast<size_t>(i) < body.results().size()) {
        Reads(body.results()[static_cast<size_t>(i)]);
      }
      EndTask();
      Made(node.output(i), task, weight);
    }
  }

  // Its nodes stand where the function is, as often as there are calls of it.
  void AddFunction(Node& node, double weight, int gate) {
    if (node.regions().empty()) return;
    const Region& body = *node.regions()[0];
    double inside =
        weight * static_cast<double>(std::max<size_t>(1, node.users().size()));
    for (int i = 0; i < body.num_args(); ++i) {
      Made(body.arg(i), gate, inside);
    }
    AddRegion(body, inside, gate);
    for (const Value& v : body.results()) AddDecision(v, inside, gate);
  }

  // Waits for the nodes of its function, and hands over on the host.
  void AddCall(Node& node, double weight, int gate) {
    const Node* function = ValueFlow::FunctionOf(node);
    int task = BeginTask(-1, false);
    After(gate);
    for (int i = 1; i < node.num_inputs(); ++i) Reads(node.input(i));
    if (function) {
      for (const Value& v : function->regions()[0]->results()) Awaits(v);
    }
    EndTask();
    for (int i = 0; i < node.num_outputs(); ++i) {
      Made(node.output(i), task, weight);
    }
  }

  void Finish() {
    size_t tasks = out_.tasks_.size();
    std::vector<int> count(tasks + 1);
    auto counts = [&](size_t v) {
      return last_use_[v] >= 0 && static_cast<size_t>(last_use_[v]) < tasks;
    };
    for (size_t v = 0; v < last_use_.size(); ++v) {
      if (counts(v)) ++count[static_cast<size_t>(last_use_[v])];
    }
    out_.first_release_.resize(tasks + 1);
    for (size_t t = 0; t < tasks; ++t) {
      out_.first_release_[t + 1] = out_.first_release_[t] + count[t];
    }
    std::vector<int> next(out_.first_release_);
    out_.released_.resize(static_cast<size_t>(out_.first_release_[tasks]));
    for (size_t v = 0; v < last_use_.size(); ++v) {
      if (!counts(v)) continue;
      int& at = next[static_cast<size_t>(last_use_[v])];
      out_.released_[static_cast<size_t>(at++)] = static_cast<int>(v);
    }
    for (auto& units : out_.neighbours_) {
      std::sort(units.begin(), units.end());
      units.erase(std::unique(units.begin(), units.end()), units.end());
    }
    auto devices = static_cast<size_t>(out_.num_devices_);
    out_.busy_.resize(devices);
    out_.link_busy_.resize(devices * devices);
    if (!out_.loops_.empty()) out_.ways_.resize(tasks * Schedule::kSlots);
    out_.ready_.resize(tasks);
    out_.waited_for_.resize(tasks);
    for (auto* by_device : {&out_.device_free_, &out_.live_, &out_.peak_}) {
      by_device->resize(devices);
    }
    out_.last_on_.resize(devices);
    out_.link_free_.resize(devices * devices);
    out_.arrival_.resize(made_by_.size() * devices);
    out_.arrived_in_.resize(made_by_.size() * devices);
  }

  Schedule& out_;
  const ValueFlow& flow_;
  const Homes& homes_;
  const std::vector<int>& unit_of_;
  const PlacementOptions& options_;
  std::vector<int> made_by_;    // the task, by value; -1: there at the start
  std::vector<double> weight_;  // how often a value is made
  std::vector<int> last_use_;   // the task
  std::vector<size_t> open_;    // loops around
};

Schedule::Schedule(const ValueFlow& flow, const Homes& homes,
                   const std::vector<int>& unit_of, size_t num_units,
                   const PlacementOptions& options) {
  ScheduleBuilder(*this, flow, homes, unit_of, num_units, options)
      .Run(flow.root());
}

}  // namespace sluice
