#include "sluice/cluster/assign_tasks.h"

#include <unordered_map>

#include "sluice/base/strings.h"
#include "sluice/device/device_name.h"
#include "sluice/placement/colocation.h"

namespace sluice::cluster {

namespace {

bool NamesTask(const Node& node) {
  Result<DeviceName> name = DeviceName::Parse(node.device());
  return name.ok() && !name->job.empty() && name->task;
}

}  // namespace

SplitOptions AssignTasks(Graph& graph, const std::string& default_task) {
  std::unordered_map<const Node*, std::string> given;
  ValueFlow flow(graph);
  for (const std::vector<Node*>& group : ColocationGroups(flow)) {
    const Node* named = nullptr;
    for (const Node* node : group) {
      if (!named && NamesTask(*node)) named = node;
    }
    if (!named) continue;
    for (const Node* node : group) {
      if (!NamesTask(*node)) given[node] = named->device();
    }
  }
  SplitOptions options;
  options.default_task = default_task;
  options.device_of = [given = std::move(given)](const Node& node) {
    auto it = given.find(&node);
    return it == given.end() ? node.device() : it->second;
  };
  return options;
}

}  // namespace sluice::cluster
