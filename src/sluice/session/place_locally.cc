#include "sluice/session/place_locally.h"

#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/graph/batch_edit.h"
#include "sluice/graph/together_with.h"
#include "sluice/placement/follow_operands.h"
#include "sluice/placement/insert_copies.h"
#include "sluice/placement/placer.h"
#include "sluice/session/device_models.h"
#include "sluice/session/op_times.h"

namespace sluice {

namespace {

bool NamesDevice(const Region& region) {
  for (const Node* node : region.nodes()) {
    if (!node->device().empty()) return true;
    for (const auto& inner : node->regions()) {
      if (NamesDevice(*inner)) return true;
    }
  }
  return false;
}

// The graph is this task's, whichever it is called.
Status DropTasks(Region& region, BatchEdit& edit) {
  for (Node* node : region.nodes()) {
    if (!node->device().empty() && PartnerOf(node->device()).empty()) {
      Result<DeviceName> name = DeviceName::Parse(node->device());
      if (!name.ok()) return name.status().WithLine(NodeLine(*node));
      if (!name->job.empty() || name->task) {
        name->job.clear();
        name->task.reset();
        edit.SetDevice(*node, name->ToString());
      }
    }
    for (const auto& inner : node->regions()) {
      SL_RETURN_IF_ERROR(DropTasks(*inner, edit));
    }
  }
  return OkStatus();
}

Result<Device*> DefaultDevice(const LocalPlacement& placement) {
  if (placement.device.empty()) return &Devices::Default();
  return Devices::Find(placement.device);
}

}  // namespace

bool ConcernsDevices(const Graph& graph, const LocalPlacement& placement) {
  if (!placement.device.empty() || &Devices::Default() != &CpuDevice()) {
    return true;
  }
  if (placement.search && Devices::Count() > 1) return true;
  return NamesDevice(graph.root());
}

Result<PlacementReport> PlaceLocally(Graph& graph, std::span<const Array> feeds,
                                     const LocalPlacement& placement) {
  SL_ASSIGN_OR_RETURN(Device * preferred, DefaultDevice(placement));
  PlacementOptions options;
  options.soft = placement.soft;
  options.search = placement.search;
  const std::vector<Device*> all = Devices::All();
  for (Device* device : all) {
    if (device == preferred) {
      options.preferred = static_cast<int>(options.devices.size());
    }
    options.devices.push_back(ModelOf(*device));
  }
  options.link = [&](int from, int to) {
    return LinkBetween(*all[static_cast<size_t>(from)],
                       *all[static_cast<size_t>(to)]);
  };
  if (placement.times && placement.times->version() > 0) {
    options.measured_seconds = [&](const Node& node, int d) {
      return placement.times->Of(node, *all[static_cast<size_t>(d)]);
    };
  }
  BatchEdit edit(graph);
  SL_RETURN_IF_ERROR(DropTasks(graph.root(), edit));
  CopyOptions copies;
  copies.results_to_host = placement.results_to_host;
  copies.small_in_place = true;
  bool elsewhere = false;
  for (const Array& feed : feeds) {
    copies.args.push_back(feed ? DeviceNameOf(feed.memory()) : "");
    elsewhere = elsewhere || (feed && feed.memory());
  }
  // Results that stay where they are computed are where imperative code has
  // them: with what they are made of.
  if (elsewhere || !placement.results_to_host) {
    SL_RETURN_IF_ERROR(FollowOperands(graph, copies.args, copies.host));
  }
  SL_ASSIGN_OR_RETURN(PlacementReport report, Place(graph, options));
  SL_RETURN_IF_ERROR(InsertCopies(graph, copies).status());
  return report;
}

}  // namespace sluice
