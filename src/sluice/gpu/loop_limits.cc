// Which loops can stay on a GPU.
#include "sluice/base/strings.h"
#include "sluice/device/device_name.h"
#include "sluice/gpu/gpu_loop.h"
#include "sluice/gpu/loop_regions.h"
#include "sluice/graph/traverse.h"
#include "sluice/tape/islands.h"

namespace sluice {

namespace {

bool Static(const ValueType& type) {
  return IsPlainData(type.dtype) && type.shape.fully_known();
}

bool SameType(const ValueType& a, const ValueType& b) {
  return a.dtype == b.dtype && a.shape == b.shape;
}

// List elements must have one shape: they are stored by index in one
// allocation.
std::string WhyNotList(const Node& node) {
  bool get = RoleOf(node) == Role::kListGet;
  const Value element =
      get ? Value{const_cast<Node*>(&node), 0} : node.inputs().back();
  if (!Static(TypeOf(element)) ||
      element.shape().ToShape().num_elements() == 0) {
    return StrCat("elements of shape ", element.shape());
  }
  if (RoleOf(node) != Role::kListAppend && !Static(TypeOf(node.input(1)))) {
    return "an index of no known shape";
  }
  if (RoleOf(node) == Role::kListSet &&
      (node.attrs().get<bool>("once") || node.attrs().get<bool>("fixed"))) {
    return "what it wrote is looked at";
  }
  return "";
}

std::string WhyNotRegion(const Region& region, std::string* device) {
  for (const Node* node : region.nodes()) {
    if (node->is_args()) continue;
    if (node->num_outputs() == 1 && node->controls().empty() &&
        ConstantValue({const_cast<Node*>(node), 0})) {
      continue;
    }
    if (!node->controls().empty()) return "order by control edges";
    if (node->op().random) {
      return StrCat(node->op().name, " \"", node->name(),
                    "\": draws other numbers in each iteration");
    }
    bool lists =
        node->num_outputs() > 0 && node->output_type(0).dtype == DType::kList;
    if (HandsOn(*node) && !lists) continue;
    std::string why =
        IsListNode(*node) ? WhyNotList(*node) : WhyNotOnGpu(*node);
    if (!why.empty()) {
      return StrCat(node->op().name, " \"", node->name(), "\": ", why);
    }
    Result<DeviceName> name = DeviceName::Parse(node->device());
    if (node->device().empty() || !name.ok()) continue;
    if (name->kind != DeviceKind::kCuda) continue;
    if (!device->empty() && *device != node->device()) {
      return StrCat("nodes on ", *device, " and ", node->device());
    }
    *device = node->device();
  }
  return "";
}

// A carried list is either written once and never read in an iteration, or
// constant.
std::string WhyNotCarried(const Node& loop, int i,
                          const GpuWhile::OnHost& on_host) {
  if (on_host({const_cast<Node*>(&loop), i})) return "it lies on the host";
  const Region &cond = CondOf(loop), &body = BodyOf(loop);
  auto uses = [&](const Region& region, const Value& v) {
    int count = 0;
    for (const Node* node : region.nodes()) {
      for (const Value& in : node->inputs()) count += in == v;
    }
    for (const Value& result : region.results()) count += result == v;
    return count;
  };
  Value arg{body.args_node(), i};
  if (uses(cond, {cond.args_node(), i}) > 0) return "the condition reads it";
  const Value& result = body.results()[static_cast<size_t>(i)];
  if (result == arg) return "";
  if (!Writes(*result.node) || !(result.node->input(0) == arg)) {
    return "it is not written to by one node";
  }
  if (uses(body, arg) > 1 || uses(body, result) > 1) {
    return "it is read where it is written";
  }
  return "";
}

}  // namespace

std::string WhyNotGpuWhile(const Node& loop, const GpuWhile::OnHost& on_host,
                           std::string* device) {
  if (loop.op().flow != Flow::kLoop || loop.regions().size() != 2) {
    return "no loop with a condition";
  }
  if (loop.attrs().get<int64_t>("maximum") >= 0) {
    return "a limit of iterations";
  }
  const Region &cond = CondOf(loop), &body = BodyOf(loop);
  for (const Region* region : {&cond, &body}) {
    std::string why = WhyNotRegion(*region, device);
    if (!why.empty()) return why;
  }
  for (const Node* node : cond.nodes()) {
    if (IsListNode(*node)) return "the condition reads a list";
  }
  if (device->empty()) return "nothing of it is on a GPU";
  if (loop.attrs().get<std::string>("save") != "device") {
    return "what it keeps may leave the device";
  }
  for (int i = 0; i < loop.num_inputs(); ++i) {
    auto n = static_cast<size_t>(i);
    if (loop.input(i).dtype() == DType::kList) {
      std::string why = WhyNotCarried(loop, i, on_host);
      if (why.empty()) continue;
      return StrCat("carried list ", i, ": ", why);
    }
    ValueType type = TypeOf(loop.input(i));
    if (!Static(type) || !SameType(type, loop.output_type(i)) ||
        !SameType(type, TypeOf(body.results()[n])) ||
        !SameType(type, body.args_node()->output_type(i)) ||
        !SameType(type, cond.args_node()->output_type(i))) {
      return StrCat("carried value ", i, " has no one shape");
    }
  }
  for (const Value& v : InputsWithCaptures(loop)) {
    if (ConstantValue(v)) continue;
    if (v.dtype() == DType::kList) {
      if (on_host(v)) return StrCat(v.ToString(), " lies on the host");
      continue;
    }
    if (!Static(TypeOf(v))) return StrCat(v.ToString(), " has no known shape");
    if (on_host(v) && v.shape().ToShape().num_elements() != 1) {
      return StrCat(v.ToString(), " lies on the host");
    }
  }
  return "";
}

}  // namespace sluice
