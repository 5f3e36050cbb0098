// Determines the task of each node. Part of TaskNeeds.
#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/device/device_name.h"
#include "sluice/partition/task_needs.h"

namespace sluice {

namespace {

bool Before(const std::string& a, const std::string& b) {
  Result<DeviceName> x = DeviceName::Parse(a), y = DeviceName::Parse(b);
  if (!x.ok() || !y.ok() || x->job != y->job) return a < b;
  return x->task.value_or(0) < y->task.value_or(0);
}

}  // namespace

// Empty: the device names no task.
Result<std::string> TaskNeeds::NamedTask(const Node& node) const {
  std::string text =
      options_.device_of ? options_.device_of(node) : node.device();
  if (text.empty()) return options_.default_task;
  Result<DeviceName> device = DeviceName::Parse(text);
  if (!device.ok()) return device.status().WithLine(NodeLine(node));
  if (device->job.empty() || !device->task) return options_.default_task;
  DeviceName task;
  task.job = device->job;
  task.task = device->task;
  return task.ToString();
}

// Collects and numbers the task names.
Status TaskNeeds::NameTasks(const Region& region) {
  for (const Node* node : region.nodes()) {
    SL_RETURN_IF_ERROR(NameTask(*node));
    for (const auto& inner : node->regions()) {
      SL_RETURN_IF_ERROR(NameTasks(*inner));
    }
  }
  if (region.owner()) return OkStatus();
  for (const auto& [name, number] : numbers_) names_.push_back(name);
  std::sort(names_.begin(), names_.end(), Before);
  for (size_t i = 0; i < names_.size(); ++i) {
    numbers_[names_[i]] = static_cast<int>(i);
  }
  return OkStatus();
}

Status TaskNeeds::NameTask(const Node& node) {
  SL_ASSIGN_OR_RETURN(std::string name, NamedTask(node));
  if (!name.empty()) {
    numbers_.emplace(std::move(name), 0);
    return OkStatus();
  }
  // For these nodes, a name is only a preference.
  if (IsCloned(node) || IsCopied(node) || node.op().flow == Flow::kFunction ||
      node.op().flow == Flow::kCall) {
    return OkStatus();
  }
  std::string text =
      options_.device_of ? options_.device_of(node) : node.device();
  return InvalidArgument(StrCat("[SplitByTask] ", node.op().name, " \"",
                                node.name(), "\" has the device \"", text,
                                "\"; wanted one with a job and a task, such as "
                                "\"/job:worker/task:0\""))
      .WithLine(NodeLine(node));
}

// The task that a node names; the first task if it names none.
int TaskNeeds::OwnTask(const Node& node) const {
  Result<std::string> name = NamedTask(node);
  if (!name.ok()) return 0;
  auto it = numbers_.find(*name);
  return it == numbers_.end() ? 0 : it->second;
}

Status TaskNeeds::FindTasks(const Region& region) {
  for (const Node* node : region.nodes()) {
    if (node->op().flow == Flow::kFunction) {
      int task = -1;
      SL_RETURN_IF_ERROR(FunctionTask(*node, &task));
      continue;
    }
    if (IsCloned(*node)) {
      for (const auto& inner : node->regions()) {
        SL_RETURN_IF_ERROR(FindTasks(*inner));
      }
    } else if (node->op().flow == Flow::kCall) {
      SL_RETURN_IF_ERROR(FunctionTask(*node->input(0).node, &tasks_[node]));
    } else if (!IsCopied(*node)) {
      tasks_[node] = OwnTask(*node);
    }
  }
  return OkStatus();
}

Status TaskNeeds::FunctionTask(const Node& function, int* task) {
  auto [it, fresh] = functions_.emplace(&function, -1);
  if (!fresh) {
    *task = it->second;
    return OkStatus();
  }
  if (function.op().flow != Flow::kFunction || function.regions().empty()) {
    return InvalidArgument(StrCat("[SplitByTask] a call calls \"",
                                  function.name(), "\", which is no function"))
        .WithLine(NodeLine(function));
  }
  const Node* first = nullptr;
  *task = -1;
  SL_RETURN_IF_ERROR(
      TaskInside(*function.regions()[0], function, task, &first));
  if (*task < 0) *task = OwnTask(function);
  functions_[&function] = *task;
  return OkStatus();
}

Status TaskNeeds::TaskInside(const Region& region, const Node& function,
                             int* task, const Node** first) {
  for (const Node* node : region.nodes()) {
    int here = -1;
    if (node->op().flow == Flow::kCall) {
      SL_RETURN_IF_ERROR(FunctionTask(*node->input(0).node, &here));
      if (here < 0) continue;  // recursive call
    } else if (!IsCloned(*node) && !IsCopied(*node) &&
               node->op().flow != Flow::kFunction) {
      here = OwnTask(*node);
    }
    if (here >= 0) tasks_[node] = here;
    if (here >= 0 && *task >= 0 && here != *task) {
      return InvalidArgument(
                 StrCat("[SplitByTask] the function \"", function.name(),
                        "\" has nodes of two tasks: \"", (*first)->name(),
                        "\" of ", names_[static_cast<size_t>(*task)], " and \"",
                        node->name(), "\" of ",
                        names_[static_cast<size_t>(here)],
                        "; wanted all of a function in one task"))
          .WithLine(NodeLine(**first))
          .WithLine(NodeLine(*node))
          .WithLine(NodeLine(function));
    }
    if (here >= 0 && *task < 0) {
      *task = here;
      *first = node;
    }
    for (const auto& inner : node->regions()) {
      SL_RETURN_IF_ERROR(TaskInside(*inner, function, task, first));
    }
  }
  return OkStatus();
}

}  // namespace sluice
