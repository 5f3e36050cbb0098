#include "sluice/ops/collective/collective_op.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(DividedByRanks(c));
  c.set_out(0, c.in(0));
  return OkStatus();
}

void Launch(AsyncContext& ctx) {
  Array y = MakeMoved(ctx);
  if (!y) return;
  Array x = ContiguousInput(ctx);
  if (!x) return;
  LaunchCollective(ctx, [&](collective::ProcessGroup& group) {
    return group.AllToAll(x, y, ctx.node().line);
  });
}

}  // namespace

SL_OP(AllToAll)
    .doc(
        "Part j of x along axis 0 goes to rank j of a group; part j of y came "
        "from it.")
    .input("x: T")
    .output("y: T")
    .types("T", kPlain)
    .attr("ranks", AttrKind::kInt, "How many ranks the group has.")
    .between(1, 1 << 20)
    .attr("group", "world", "The process group.")
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("AllToAll", {g.dy()}, g.attrs()));
    })
    .cpu_async(Launch)
    .stateful()
    .global_effect("collectives")
    .internal()
    .rejects({{.in = {{3}},
               .attrs = {{"ranks", 2}},
               .message = "[AllToAll] x is "}});

}  // namespace sluice
