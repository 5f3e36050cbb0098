// CopyTo and CopyLike: the same elements on another device, for imperative
// calls; in a graph an Identity on that device is used instead.
#include "sluice/device/devices.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/remote_copy.h"

namespace sluice {
namespace {

Status ToMemory(KernelContext& ctx, Memory* memory) {
  Result<Array> there = RemoteCopy::To(ctx.in(0), memory);
  if (!there.ok())
    return ctx.Error(there.status().code(), there.status().message());
  ctx.set_out(0, *std::move(there));
  return OkStatus();
}

Status CopyToDevice(KernelContext& ctx) {
  Result<Device*> device = Devices::Find(ctx.attr<std::string>("device"));
  if (!device.ok()) {
    return ctx.Error(device.status().code(), device.status().message());
  }
  return ToMemory(ctx, (*device)->array_memory());
}

Status CopyWhereLikeIs(KernelContext& ctx) {
  return ToMemory(ctx, ctx.in(1).memory());
}

SL_OP(CopyTo)
    .doc("x on a device, by its name; x itself when it is there.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnyData)
    .attr("device", AttrKind::kString, "\"gpu:0\", \"/device:cpu:1\".")
    .shape(shapes::same_as_first)
    .cpu(CopyToDevice)
    .any_memory()
    .dynamic_output()
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("CopyLike", {g.dy(), g.in(0)}));
    })
    .batch(batch_rules::leading)
    .linear(Linear::kInFirst)
    .internal()
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{in[0]};
    })
    .samples({{.in = {{2, 3}}, .attrs = {{"device", "cpu:0"}}}})
    .rejects({{.in = {{2}},
               .attrs = {{"device", "tpu:0"}},
               .message = "[CopyTo] \"tpu:0\" is no device"},
              {.in = {{2}},
               .attrs = {{"device", "cpu:1000000"}},
               .message = "[CopyTo] there is no device \"cpu:1000000\""}});

SL_OP(CopyLike)
    .doc("x on the device that `like` is on.")
    .input("x: T")
    .input("like: U")
    .output("y: T")
    .types("T", kAnyData)
    .types("U", kAnyData)
    .shape(shapes::same_as_first)
    .cpu(CopyWhereLikeIs)
    .any_memory()
    .dynamic_output()
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("CopyLike", {g.dy(), g.in(0)}));
    })
    .linear(Linear::kInFirst)
    .internal()
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{in[0]};
    })
    .samples({{.in = {{2, 3}, {4}}}});

}  // namespace
}  // namespace sluice
