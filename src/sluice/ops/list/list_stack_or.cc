#include "sluice/kernels/shape_value.h"
#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_sum.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  int64_t n = y.dim(0);
  int64_t bytes = n == 0 ? 0 : y.bytes() / n;
  std::vector<Array> parts;
  for (int64_t i = 0; i < n; ++i) {
    parts.push_back(PartAt(ctx, i));
    SL_RETURN_IF_ERROR(CheckPart(ctx, parts.back(), i, bytes));
  }
  LayOutOrZeros(parts, std::vector<int64_t>(parts.size(), bytes), y);
  return OkStatus();
}

SL_OP(ListStackOr)
    .doc(
        "The elements of the gradient of a list along a new first axis, zeros "
        "where there are none; `dims` are the sizes of the result.")
    .input("list: list")
    .input("dims: i64")
    .output("y: dtype")
    .attr("dtype", AttrKind::kDType, "Of the elements.")
    .shape([](ShapeContext& c) { return PartsShape(c, 1); })
    .batch(list_batch::stacked_or)
    .cpu(Launch)
    .grad([](GradContext& g) { g.set_dx(0, g.call("ListUnstack", {g.dy()})); })
    .internal();

}  // namespace
}  // namespace sluice
