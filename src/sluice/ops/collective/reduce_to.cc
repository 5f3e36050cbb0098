#include <cstring>

#include "sluice/ops/collective/collective_op.h"

namespace sluice {
namespace {

// As an all_reduce of which one rank keeps the result: the ring's traffic is
// the same, and every rank has the same order of sums.
void Launch(AsyncContext& ctx) {
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

}  // namespace

SL_OP(ReduceTo)
    .doc(
        "The sum of the x of all ranks of a group on one rank, zeros on "
        "others.")
    .input("x: T")
    .output("y: T")
    .types("T", kNumbers)
    .attr("root", 0, "The rank that has the sum.")
    .between(0, 1 << 20)
    .attr("group", "world", "The process group.")
    .shape(shapes::same_as_first)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("BroadcastFrom", {g.dy()}, g.attrs()));
    })
    .cpu_async(Launch)
    .stateful()
    .global_effect("collectives")
    .internal()
    .rejects({{.in = {{2}},
               .attrs = {{"root", -1}},
               .message = "[ReduceTo] attribute root is -1; wanted 0 "}});

}  // namespace sluice
