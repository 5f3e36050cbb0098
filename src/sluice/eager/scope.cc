#include "sluice/eager/scope.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_owned.h"
#include "sluice/device/devices.h"
#include "sluice/device/names_task.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/kept_constant.h"
#include "sluice/eager/other_graph.h"
#include "sluice/eager/recording.h"
#include "sluice/eager/task_calls.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/session/connected_cluster.h"

namespace sluice {

using front_internal::Building;

Building& Building::Current() { return ThreadOwned<Building>::Get(); }

front_internal::SavedBuilding::SavedBuilding() : saved_(Building::Current()) {}
front_internal::SavedBuilding::~SavedBuilding() {
  Building::Current() = std::move(saved_);
}

GraphScope::GraphScope(Graph& graph) {
  Building::Current() = Building();
  Building::Current().graph = &graph;
  Building::Current().constants =
      std::make_shared<front_internal::KeptConstants>();
}

NameScope::NameScope(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.back() == '/') {
    throw Error(InvalidArgument(
        StrCat("the scope's name is \"", name,
               "\"; wanted a name like \"encoder\" or \"encoder/layer1\"")));
  }
  std::string& scope = Building::Current().scope;
  if (!scope.empty()) scope += '/';
  scope += name;
}

ControlScope::ControlScope(const std::vector<Operation>& before) {
  Building& building = Building::Current();
  for (const Operation& op : before) {
    if (building.graph && &op.graph() != building.graph) {
      throw Error(InvalidArgument(front_internal::OtherGraph(
          op.name(), op.node(), op.graph(), *building.graph,
          "one of the graph whose scope is open")));
    }
    building.controls.push_back(&op.node());
  }
}

namespace {

// Where calls that run now are to make tensors; null: on the host.
Device* DeviceForCalls(const DeviceName& name, std::string_view text) {
  const bool here = !NamesTask(name);
  // A graph may be for another process, or for a session that finds another
  // device.
  if (Building::Current().graph && !Recording::Current()) {
    return here && name.kind ? Devices::Find(name) : nullptr;
  }
  if (!here) {
    // A function that is recorded runs over tasks, as one step; a call that
    // runs now is computed there (task_calls.h).
    if (CurrentCluster().number != 0) return nullptr;
    throw Error(InvalidArgument(
        StrCat("device \"", text, "\" is of a task, and no cluster is ",
               "connected; wanted a connection to one, or a graph and a "
               "session with a target")));
  }
  if (!name.kind) return nullptr;
  Result<Device*> found = Devices::Find(text);
  if (!found.ok()) throw Error(InvalidArgument(found.status().message()));
  return *found;
}

}  // namespace

DeviceScope::DeviceScope(std::string_view device)
    : outer_(front_internal::EagerMode::Current().device) {
  DeviceName name = ValueOrThrow(DeviceName::Parse(device));
  Building& building = Building::Current();
  Device* for_calls = DeviceForCalls(name, device);
  const bool now = !building.graph && !Recording::Current();
  TaskScopes::Enter(now && NamesTask(name) ? std::string(device) : "");
  front_internal::EagerMode::Current().device = for_calls;
  building.device = device;
}

DeviceScope::~DeviceScope() {
  TaskScopes::Leave();
  front_internal::EagerMode::Current().device = outer_;
}

ImperativeScope::ImperativeScope() : suspended_(Recording::Suspend()) {
  Building::Current() = Building();
}

ImperativeScope::~ImperativeScope() { Recording::Resume(suspended_); }

Graph& current_graph() {
  Graph* graph = Building::Current().graph;
  if (!graph) {
    throw Error(FailedPrecondition(
        "no graph is open on this thread; wanted one opened around the call"));
  }
  return *graph;
}

}  // namespace sluice
