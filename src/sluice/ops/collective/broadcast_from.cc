#include "sluice/ops/collective/collective_op.h"

namespace sluice {
namespace {

void Launch(AsyncContext& ctx) {
  Array x = CopyOfInput(ctx);
  if (!x) return;
  LaunchCollective(ctx, [&](collective::ProcessGroup& group) {
    return group.Broadcast(x, static_cast<int>(ctx.attr<int64_t>("root")),
                           ctx.node().line);
  });
}

}  // namespace

SL_OP(BroadcastFrom)
    .doc("The x of one rank of a group, on every rank.")
    .input("x: T")
    .output("y: T")
    .types("T", kPlain)
    .attr("root", 0, "The rank whose x it is.")
    .between(0, 1 << 20)
    .attr("group", "world", "The process group.")
    .shape(shapes::same_as_first)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ReduceTo", {g.dy()}, g.attrs()));
    })
    .cpu_async(Launch)
    .stateful()
    .global_effect("collectives")
    .internal()
    .rejects({{.in = {{2}},
               .attrs = {{"root", -1}},
               .message = "[BroadcastFrom] attribute root is -1; wanted 0 "}});

}  // namespace sluice
