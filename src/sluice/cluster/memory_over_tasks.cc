#include "sluice/cluster/memory_over_tasks.h"

#include "sluice/base/strings.h"
#include "sluice/cluster/assign_tasks.h"
#include "sluice/device/device_name.h"
#include "sluice/graph/batch_edit.h"
#include "sluice/graph/node.h"
#include "sluice/passes/pipeline.h"
#include "sluice/passes/raise_control_flow.h"
#include "sluice/placement/insert_copies.h"

namespace sluice::cluster {

namespace {

// The full device name, with the default task if it names none.
Result<std::string> InFull(const std::string& device,
                           const DeviceName& default_task) {
  DeviceName name;
  if (!device.empty()) {
    SL_ASSIGN_OR_RETURN(name, DeviceName::Parse(device));
  }
  if (name.job.empty()) name.job = default_task.job;
  if (!name.task) name.task = default_task.task;
  if (!name.kind) {
    name.kind = DeviceKind::kCpu;
    name.index = 0;
  }
  if (!name.index) name.index = 0;
  return name.ToString();
}

Status SetDevices(const Region& region, const SplitOptions& tasks,
                  const DeviceName& default_task, BatchEdit& edit) {
  for (Node* node : region.nodes()) {
    Result<std::string> device = InFull(tasks.device_of(*node), default_task);
    if (!device.ok()) return device.status().WithLine(NodeLine(*node));
    edit.SetDevice(*node, *device);
    for (const auto& inner : node->regions()) {
      SL_RETURN_IF_ERROR(SetDevices(*inner, tasks, default_task, edit));
    }
  }
  return OkStatus();
}

}  // namespace

Result<MemoryForecast> MemoryOverTasks(Graph& graph,
                                       const std::string& default_task) {
  SL_ASSIGN_OR_RETURN(DeviceName task, DeviceName::Parse(default_task));
  SL_RETURN_IF_ERROR(RaiseControlFlow(graph).status());
  SL_RETURN_IF_ERROR(RunPipeline(graph, {}).status());
  CopyOptions copies;
  SL_ASSIGN_OR_RETURN(copies.host, InFull("", task));
  {
    const SplitOptions tasks = AssignTasks(graph, default_task);
    BatchEdit edit(graph);
    SL_RETURN_IF_ERROR(SetDevices(graph.root(), tasks, task, edit));
  }
  copies.args.assign(static_cast<size_t>(graph.root().num_args()), copies.host);
  SL_RETURN_IF_ERROR(InsertCopies(graph, copies).status());
  SL_ASSIGN_OR_RETURN(MemoryForecast forecast,
                      ForecastMemory(graph, copies.args));
  // Values without bytes, such as empty lists, count as the host's.
  std::erase_if(forecast.devices, [](const MemoryForecast::OnDevice& on) {
    for (const MemoryForecast::Peak& peak : on.peaks) {
      if (!peak.bytes.zero()) return false;
    }
    return true;
  });
  return forecast;
}

}  // namespace sluice::cluster
