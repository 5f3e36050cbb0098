#include "sluice/placement/schedule_builder.h"

#include "sluice/graph/node_work.h"
#include "sluice/graph/role_of.h"
#include "sluice/graph/traverse.h"

namespace sluice {

void ScheduleBuilder::Run(const Region& root) {
  DescribeDevices();
  AddRegion(root, 1, -1);
  for (const Value& v : root.results()) {
    last_use_[Id(v)] = out_.num_tasks();  // handed out: never released
  }
  Finish();
}

void ScheduleBuilder::DescribeDevices() {
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
    out_.in_order_.push_back(device.name.kind != DeviceKind::kCpu);
  }
}

void ScheduleBuilder::Reads(const Value& v) {
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

void ScheduleBuilder::AddNode(Node& node, double weight, int gate) {
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

void ScheduleBuilder::AddPlain(Node& node, double weight, int gate) {
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

void ScheduleBuilder::SetSeconds(const Node& node, int task, double weight) {
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

void ScheduleBuilder::Finish() {
  size_t tasks = out_.tasks_.size();
  int n = out_.num_devices_;
  out_.unit_seconds_.resize(out_.neighbours_.size() * static_cast<size_t>(n));
  for (size_t t = 0; t < tasks; ++t) {
    int unit = out_.tasks_[t].unit;
    for (int d = 0; unit >= 0 && d < n; ++d) {
      out_.unit_seconds_[static_cast<size_t>(unit * n + d)] +=
          out_.seconds_[t * static_cast<size_t>(n) + static_cast<size_t>(d)];
    }
  }
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
  if (!out_.loops_.empty())
    out_.ways_.resize(tasks * static_cast<size_t>(out_.slots_));
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

Schedule::Schedule(const ValueFlow& flow, const Homes& homes,
                   const std::vector<int>& unit_of, size_t num_units,
                   const PlacementOptions& options) {
  ScheduleBuilder(*this, flow, homes, unit_of, num_units, options)
      .Run(flow.root());
}

}  // namespace sluice
