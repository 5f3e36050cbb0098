#include "sluice/base/strings.h"
#include "sluice/op/record.h"
#include "sluice/state/barrier.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

void Launch(AsyncContext& ctx) {
  Result<Ref<Barrier>> barrier = ResourceOf<Barrier>(ctx);
  if (!barrier.ok()) return ctx.Done(barrier.status());
  Result<int64_t> n = ScalarInt(ctx, 1);
  if (!n.ok()) return ctx.Done(n.status());
  Status claims = CheckClaims(ctx, (*barrier)->spec(),
                              ctx.attr<std::vector<DType>>("dtypes"),
                              ctx.attr<std::vector<PartialShape>>("shapes"),
                              StrCat("barrier \"", (*barrier)->name(), "\""));
  if (!claims.ok()) return ctx.Done(claims);
  (*barrier)->Take(*n, ctx.attr<bool>("allow_small_batch"),
                   ctx.step().cancellation, ReplyTo(ctx));
}

Status InferShape(ShapeContext& c) {
  SL_ASSIGN_OR_RETURN(int64_t n, ScalarCount(c, 1));
  if (c.attr<bool>("allow_small_batch")) n = kUnknownDim;
  c.set_out(0, PartialShape({n}));
  return ClaimedShapes(c, 1, true, n);
}

SL_OP(BarrierTake)
    .doc(
        "Waits until a barrier has n complete keys and takes the n oldest: "
        "their names, and each component as a batch.")
    .input("handle: resource")
    .input("n: N")
    .output("keys: string")
    .output("components: dtypes*")
    .types("N", kIndices)
    .attr("dtypes", AttrKind::kDTypes, "the barrier's")
    .attr("shapes", std::vector<PartialShape>(),
          "the barrier's, as far as the graph wants to know them")
    .attr("allow_small_batch", false,
          "whether a closed barrier may give fewer than n")
    .shape(InferShape)
    .cpu_async(Launch)
    .writes()
    .dynamic_output();

}  // namespace
}  // namespace sluice
