#include "sluice/ops/collective/collective_op.h"

namespace sluice {
namespace {

void Launch(AsyncContext& ctx) {
  auto op = collective::ReduceFromName(ctx.attr<std::string>("op"));
  if (!op.ok()) return ctx.Done(ctx.Error(op.status().message()));
  Array x = CopyOfInput(ctx);
  if (!x) return;
  LaunchCollective(ctx, [&](collective::ProcessGroup& group) {
    return group.AllReduce(x, *op, ctx.node().line);
  });
}

}  // namespace

SL_OP(AllReduce)
    .doc("The x of all ranks of a group, reduced to one, on every rank.")
    .input("x: T")
    .output("y: T")
    .types("T", kPlain)
    .attr("op", "sum", "How: sum, avg, product, min, max, band, bor or bxor.")
    .one_of({"sum", "avg", "product", "min", "max", "band", "bor", "bxor"})
    .attr("group", "world", "The process group.")
    .shape(shapes::same_as_first)
    // y of every rank depends on x of every rank.
    .grad([](GradContext& g) {
      if (!LinearReduction(g)) return;
      g.set_dx(0, g.call("AllReduce", {g.dy()}, g.attrs()));
    })
    .cpu_async(Launch)
    .stateful()
    .global_effect("collectives")
    .internal()
    .rejects({{.in = {{2}},
               .attrs = {{"op", "mean"}},
               .message = "[AllReduce] attribute op is \"mean\"; wanted "}});

}  // namespace sluice
