#include "sluice/autodiff/save_on_host.h"

#include "sluice/autodiff/inner_gradient.h"
#include "sluice/base/strings.h"
#include "sluice/device/device_name.h"
#include "sluice/graph/device_near.h"
#include "sluice/graph/swap.h"

namespace sluice {

bool SavesOnHost(const Node& loop) {
  return loop.op().FindAttr("save") &&
         loop.attrs().get<std::string>("save") == "host";
}

std::string HostBeside(const std::string& device) {
  DeviceName host = DeviceName::Local(DeviceKind::kCpu, 0);
  Result<DeviceName> name = DeviceName::Parse(device);
  if (name.ok()) {
    host.job = name->job;
    host.task = name->task;
  }
  return host.ToString();
}

Result<Node*> AddKeeping(Graph& graph, Region& region, const Node& loop,
                         std::string_view op, std::span<const Value> inputs,
                         const Attrs& attrs) {
  if (!SavesOnHost(loop)) {
    return AddBeside(graph, region, loop, op, inputs, attrs);
  }
  NodeOptions options;
  options.scope = StrCat("gradients/", loop.name());
  options.device = HostBeside(DeviceNear(loop));
  options.line = loop.line();
  return graph.Add(region, op, inputs, attrs, options);
}

Result<Value> SwappedOut(Graph& graph, Node& loop, const Value& v) {
  if (!SavesOnHost(loop) || IsReference(v.dtype()) || IsSwapOut(*v.node)) {
    return v;
  }
  int64_t budget = loop.attrs().get<int64_t>("budget");
  SL_ASSIGN_OR_RETURN(
      Node * swap, AddKeeping(graph, *loop.regions()[1], loop, "Swap", {&v, 1},
                              {{"out", true},
                               {"above", budget > 0 ? budget : int64_t{-1}}}));
  return swap->output();
}

Result<Value> SwappedIn(Graph& graph, Region& region, const Node& loop,
                        const Value& read, const Value& v) {
  if (!SavesOnHost(loop) || IsReference(v.dtype())) return read;
  NodeOptions options;
  options.scope = StrCat("gradients/", loop.name());
  options.device = DeviceNear(v);
  options.line = loop.line();
  SL_ASSIGN_OR_RETURN(Node * swap,
                      graph.Add(region, "Swap", {&read, 1}, {}, options));
  return swap->output();
}

bool IsSame(const Value& appended, const Value& v) {
  if (appended == v) return true;
  return IsSwapOut(*appended.node) && appended.node->input(0) == v;
}

}  // namespace sluice
