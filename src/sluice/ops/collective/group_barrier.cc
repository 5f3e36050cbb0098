#include "sluice/ops/collective/collective_op.h"

namespace sluice {
namespace {

void Launch(AsyncContext& ctx) {
  LaunchCollective(ctx, [&](collective::ProcessGroup& group) {
    return group.Barrier(ctx.node().line);
  });
}

}  // namespace

SL_OP(GroupBarrier)
    .doc("Ends when every rank of a group has come to it.")
    .attr("group", "world", "The process group.")
    .shape(shapes::none)
    .cpu_async(Launch)
    .stateful()
    .global_effect("collectives")
    .internal();

}  // namespace sluice
