#include "sluice/ops/collective/collective_op.h"

namespace sluice {
namespace {

void Launch(AsyncContext& ctx) {
  Array y = MakeGathered(ctx);
  if (!y) return;
  Array x = ContiguousInput(ctx);
  if (!x) return;
  LaunchCollective(ctx, [&](collective::ProcessGroup& group) {
    return group.AllGather(x, y, ctx.node().line);
  });
}

}  // namespace

SL_OP(AllGather)
    .doc("The x of all ranks of a group, one after the other along axis 0.")
    .input("x: T")
    .output("y: T")
    .types("T", kPlain)
    .attr("ranks", AttrKind::kInt, "How many ranks the group has.")
    .between(1, 1 << 20)
    .attr("group", "world", "The process group.")
    .shape(TimesRanks)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ReduceScatter", {g.dy()}, g.attrs()));
    })
    .cpu_async(Launch)
    .stateful()
    .global_effect("collectives")
    .internal()
    .rejects({{.in = {{}},
               .attrs = {{"ranks", 2}},
               .message = "[AllGather] x is "}});

}  // namespace sluice
