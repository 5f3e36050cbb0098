// AllGather, AllReduce, AllToAll, BroadcastFrom, ReduceScatter and ReduceTo.
#include <cstring>

#include "sluice/ops/collective/collective_op.h"
#include "sluice/ops/family.h"

namespace sluice {
namespace {

void LaunchAllGather(AsyncContext& ctx) {
  Array y = MakeGathered(ctx);
  if (!y) return;
  Array x = ContiguousInput(ctx);
  if (!x) return;
  LaunchCollective(ctx, [&](collective::ProcessGroup& group) {
    return group.AllGather(x, y, ctx.node().line);
  });
}

void LaunchAllReduce(AsyncContext& ctx) {
  auto op = collective::ReduceFromName(ctx.attr<std::string>("op"));
  if (!op.ok()) return ctx.Done(ctx.Error(op.status().message()));
  Array x = CopyOfInput(ctx);
  if (!x) return;
  LaunchCollective(ctx, [&](collective::ProcessGroup& group) {
    return group.AllReduce(x, *op, ctx.node().line);
  });
}

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(DividedByRanks(c));
  c.set_out(0, c.in(0));
  return OkStatus();
}

void LaunchAllToAll(AsyncContext& ctx) {
  Array y = MakeMoved(ctx);
  if (!y) return;
  Array x = ContiguousInput(ctx);
  if (!x) return;
  LaunchCollective(ctx, [&](collective::ProcessGroup& group) {
    return group.AllToAll(x, y, ctx.node().line);
  });
}

void LaunchBroadcastFrom(AsyncContext& ctx) {
  Array x = CopyOfInput(ctx);
  if (!x) return;
  LaunchCollective(ctx, [&](collective::ProcessGroup& group) {
    return group.Broadcast(x, static_cast<int>(ctx.attr<int64_t>("root")),
                           ctx.node().line);
  });
}

void LaunchReduceScatter(AsyncContext& ctx) {
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

// An all_reduce whose result only one rank keeps: the ring's traffic is the
// same, and every rank has the same order of sums.
void LaunchReduceTo(AsyncContext& ctx) {
  const auto root = ctx.attr<int64_t>("root");
  auto group = collective::FindGroup(ctx.attr<std::string>("group"));
  if (group && root >= group->size()) {
    return ctx.Done(ctx.Error(StrCat("there is no rank ", root,
                                     "; wanted 0 to ", group->size() - 1)));
  }
  Array x = CopyOfInput(ctx);
  if (!x) return;
  if (group && group->rank() != root) {
    Result<Array> zeros = x.Clone();
    if (!zeros.ok()) return ctx.Done(zeros.status());
    std::memset(zeros->mutable_raw(), 0, static_cast<size_t>(zeros->bytes()));
    ctx.set_out(0, *zeros);
  }
  LaunchCollective(ctx, [&](collective::ProcessGroup& g) {
    return g.AllReduce(x, collective::ReduceOp::kSum, ctx.node().line);
  });
}

OpDefinition& Collective(OpDefinition&& op, std::string_view) {
  return op.input("x: T")
      .output("y: T")
      .stateful()
      .global_effect("collectives")
      .internal();
}

}  // namespace

SL_OP_OF(AllGather, Collective)
    .doc("The x of all ranks of a group, one after the other along axis 0.")
    .types("T", kPlain)
    .attr("ranks", AttrKind::kInt, "How many ranks the group has.")
    .between(1, 1 << 20)
    .attr("group", "world", "The process group.")
    .shape(TimesRanks)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ReduceScatter", {g.dy()}, g.attrs()));
    })
    .cpu_async(LaunchAllGather)
    .rejects({{.in = {{}},
               .attrs = {{"ranks", 2}},
               .message = "[AllGather] x is "}});

SL_OP_OF(AllReduce, Collective)
    .doc("The x of all ranks of a group, reduced to one, on every rank.")
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
    .cpu_async(LaunchAllReduce);

SL_OP_OF(AllToAll, Collective)
    .doc(
        "Part j of x along axis 0 goes to rank j of a group; part j of y came "
        "from it.")
    .types("T", kPlain)
    .attr("ranks", AttrKind::kInt, "How many ranks the group has.")
    .between(1, 1 << 20)
    .attr("group", "world", "The process group.")
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("AllToAll", {g.dy()}, g.attrs()));
    })
    .cpu_async(LaunchAllToAll)
    .rejects({{.in = {{3}},
               .attrs = {{"ranks", 2}},
               .message = "[AllToAll] x is "}});

SL_OP_OF(BroadcastFrom, Collective)
    .doc("The x of one rank of a group, on every rank.")
    .types("T", kPlain)
    .attr("root", 0, "The rank whose x it is.")
    .between(0, 1 << 20)
    .attr("group", "world", "The process group.")
    .shape(shapes::same_as_first)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ReduceTo", {g.dy()}, g.attrs()));
    })
    .cpu_async(LaunchBroadcastFrom);

SL_OP_OF(ReduceScatter, Collective)
    .doc(
        "The x of all ranks of a group, reduced to one, of which every rank "
        "has its part along axis 0.")
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
    .cpu_async(LaunchReduceScatter)
    .rejects({{.in = {{3}},
               .attrs = {{"ranks", 2}},
               .message = "[ReduceScatter] x is "}});

SL_OP_OF(ReduceTo, Collective)
    .doc(
        "The sum of the x of all ranks of a group on one rank, zeros on "
        "others.")
    .types("T", kNumbers)
    .attr("root", 0, "The rank that has the sum.")
    .between(0, 1 << 20)
    .attr("group", "world", "The process group.")
    .shape(shapes::same_as_first)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("BroadcastFrom", {g.dy()}, g.attrs()));
    })
    .cpu_async(LaunchReduceTo);

}  // namespace sluice
