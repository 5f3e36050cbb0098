#include "sluice/op/record.h"
#include "sluice/state/barrier.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Barrier> barrier, ResourceOf<Barrier>(ctx));
  return AsOpError(ctx, barrier->Insert(ctx.attr<int64_t>("component"),
                                        ctx.in(1), ctx.in(2)));
}

Status InferShape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  return c.WantRankAtLeast(2, 1);
}

SL_OP(BarrierInsert)
    .doc(
        "Gives a barrier one component of several keys: row i of `values` "
        "belongs to keys[i].")
    .input("handle: resource")
    .input("keys: string")
    .input("values: T")
    .types("T", kAnyData)
    .attr("component", AttrKind::kInt, "which one, from 0")
    .between(0, 65535)
    .shape(InferShape)
    .cpu(Launch)
    .writes();

}  // namespace
}  // namespace sluice
