#include "sluice/autodiff/save_choice.h"

#include <algorithm>

#include "sluice/autodiff/inner_gradient.h"
#include "sluice/autodiff/loop_carries.h"
#include "sluice/device/device_speed.h"
#include "sluice/device/devices.h"
#include "sluice/graph/device_near.h"
#include "sluice/graph/loop_counts.h"
#include "sluice/graph/node_work.h"

namespace sluice {

namespace {

// The device that the body runs on, when it runs behind the host and is one.
const Device* DeviceOf(const Node& loop) {
  const std::string& name = DeviceNear(loop);
  const Device* device = &Devices::Default();
  if (!name.empty()) {
    Result<Device*> found = Devices::Find(name);
    if (!found.ok()) return nullptr;
    device = *found;
  }
  return device->synchronous() ? nullptr : device;
}

// Straight code: the gradient of what is inside could not be tried and dropped.
bool HasRegions(const Region& body) {
  return std::any_of(
      body.nodes().begin(), body.nodes().end(), [](const Node* n) {
        return !n->regions().empty() || n->op().flow != Flow::kNone;
      });
}

}  // namespace

HowToSave CheapestSave(const SaveCosts& costs) {
  if (costs.trips &&
      static_cast<double>(*costs.trips) * costs.kept_bytes <= costs.budget) {
    return HowToSave::kKeep;
  }
  double swapping = std::max(0.0, costs.copy - costs.forward) +
                    std::max(0.0, costs.copy - 2 * costs.forward);
  return swapping <= costs.forward ? HowToSave::kSwap : HowToSave::kRecompute;
}

Status ChooseSave(const RegionGradient& at) {
  Node& loop = at.node;
  if (!loop.op().FindAttr("save") ||
      loop.attrs().get<std::string>("save") != "budget") {
    return OkStatus();
  }
  Region& body = *loop.regions()[1];
  const Device* device = DeviceOf(loop);
  if (!device || HasRegions(body)) return OkStatus();
  DeviceSpeed speed = SpeedOf(*device);
  if (speed.link_bytes_per_second <= 0) return OkStatus();

  SaveCosts costs;
  costs.budget = static_cast<double>(loop.attrs().get<int64_t>("budget"));
  costs.trips = CountOf(loop).number;
  for (const Node* node : body.nodes()) {
    // Constants are there, and counters are the host's.
    bool computes = node->num_inputs() > 0 && node->num_outputs() > 0 &&
                    IsFloating(node->output_type(0).dtype);
    NodeWork work = WorkOf(*node);
    if (!computes || (work.flops == 0 && work.bytes == 0)) continue;
    costs.forward += speed.KernelSeconds(work.flops, work.bytes);
  }
  std::vector<int> active = ActiveCarries(body, at.dy);
  std::vector<Value> xs;
  for (int i : active) xs.push_back(body.arg(i));
  SL_ASSIGN_OR_RETURN(
      InnerGradient inner,
      InnerGradient::Compute(at.graph, body, active, xs,
                             WantedCaptures(loop, at.wanted), false));
  double values = 0;
  bool known = true;
  for (const Value& v : inner.Residuals({})) {
    if (!IsFloating(v.dtype())) continue;
    known = known && v.shape().fully_known();
    costs.kept_bytes += static_cast<double>(BytesOf(v.type()));
    ++values;
  }
  inner.Drop();
  if (!known) return OkStatus();
  costs.copy = speed.CopySeconds(values, costs.kept_bytes);
  switch (CheapestSave(costs)) {
    case HowToSave::kKeep:
      at.graph.SetAttr(loop, "save", std::string("device"));
      break;
    case HowToSave::kSwap:
      at.graph.SetAttr(loop, "save", std::string("host"));
      break;
    case HowToSave::kRecompute:
      break;
  }
  return OkStatus();
}

}  // namespace sluice
