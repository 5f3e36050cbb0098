#include "sluice/ops/collective/collective_op.h"

namespace sluice {
namespace {

void Launch(AsyncContext& ctx) {
  auto op = collective::ReduceFromName(ctx.attr<std::string>("op"));
  if (!op.ok()) return ctx.Done(ctx.Error(op.status().message()));
  Array y = MakeScattered(ctx);
  if (!y) return;
  Array x = ContiguousInput(ctx);
  if (!x) return;
  LaunchCollective(ctx, [&](collective::ProcessGroup& group) {
    return group.ReduceScatter(x, y, *op, ctx.node().line);
  });
}

}  // namespace

SL_OP(ReduceScatter)
    .doc(
        "The x of all ranks of a group, reduced to one, of which every rank "
        "has its part along axis 0.")
    .input("x: T")
    .output("y: T")
    .types("T", kPlain)
    .attr("ranks", AttrKind::kInt, "How many ranks the group has.")
    .between(1, 1 << 20)
    .attr("op", "sum", "How: sum, avg, product, min, max, band, bor or bxor.")
    .one_of({"sum", "avg", "product", "min", "max", "band", "bor", "bxor"})
    .attr("group", "world", "The process group.")
    .shape(DividedByRanks)
    .grad([](GradContext& g) {
      if (!LinearReduction(g)) return;
      const auto ranks = g.attr<int64_t>("ranks");
      GradVar all =
          g.call("AllGather", {g.dy()},
                 {{"ranks", ranks}, {"group", g.attr<std::string>("group")}});
      if (g.attr<std::string>("op") == "avg") {
        all = all / static_cast<double>(ranks);
      }
      g.set_dx(0, all);
    })
    .cpu_async(Launch)
    .stateful()
    .global_effect("collectives")
    .internal()
    .rejects({{.in = {{3}},
               .attrs = {{"ranks", 2}},
               .message = "[ReduceScatter] x is "}});

}  // namespace sluice
