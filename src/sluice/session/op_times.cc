#include "sluice/session/op_times.h"

#include "sluice/base/clock.h"
#include "sluice/base/strings.h"
#include "sluice/device/device.h"

namespace sluice {

namespace {

std::string KeyOf(const Node& node) {
  std::string key = node.op().name;
  for (const Value& v : node.inputs()) StrAppend(key, " ", v.type());
  StrAppend(key, " ->");
  for (int i = 0; i < node.num_outputs(); ++i) {
    StrAppend(key, " ", node.output_type(i));
  }
  StrAppend(key, " on ");
  return key;
}

std::string OnDevice(const std::string& key, const Device& device) {
  return key + device.name_text();
}
std::string OnKind(const std::string& key, const Device& device) {
  return StrCat(key, "kind ", static_cast<int>(device.kind()));
}

}  // namespace

void OpTimes::Add(const Node& node, const Device& device, double seconds) {
  std::string key = KeyOf(node);
  MutexLock lock(mu_);
  for (const std::string& k : {OnDevice(key, device), OnKind(key, device)}) {
    Mean& mean = means_[k];
    mean.sum += seconds;
    ++mean.count;
  }
}

double OpTimes::Of(const Node& node, const Device& device) const {
  std::string key = KeyOf(node);
  MutexLock lock(mu_);
  for (const std::string& k : {OnDevice(key, device), OnKind(key, device)}) {
    auto it = means_.find(k);
    if (it == means_.end()) continue;
    return it->second.sum / static_cast<double>(it->second.count);
  }
  return -1;
}

void TimedRun::Collect(const StepStats& stats, OpTimes& times) {
  std::unordered_map<std::string, std::pair<const Node*, const Device*>> sims;
  for (const FiringRecord& f : stats.firings) {
    const PlanNode& node = plan_.nodes()[f.node];
    const PlanNodeInfo& info = plan_.info(f.node);
    const Device& device = *plan_.devices()[node.device];
    if (node.kind == NodeKind::kLaunch) {
      // As LaunchOn labels its work.
      std::string label = StrCat(node.op->name, " ", info.info.name);
      sims[StrCat(device.name_text(), " ", label)] = {info.node, &device};
    } else if (node.kind == NodeKind::kKernel ||
               node.kind == NodeKind::kElementwise) {
      times.Add(*info.node, device,
                static_cast<double>(f.end - f.start) * NanosPerCycle() * 1e-9);
    }
  }
  for (const TimelineItem& item : stats.device_work) {
    auto it = sims.find(StrCat(item.device, " ", item.label));
    if (it == sims.end()) continue;
    times.Add(*it->second.first, *it->second.second, item.end - item.start);
  }
  times.EndOfRun();
}

}  // namespace sluice
