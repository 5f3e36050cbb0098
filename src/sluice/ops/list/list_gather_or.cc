#include <unordered_set>

#include "sluice/kernels/shape_value.h"
#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_sum.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  int64_t n = y.dim(0);
  int64_t bytes = n == 0 ? 0 : y.bytes() / n;
  auto indices = IntValues(ctx.in(1));
  if (static_cast<int64_t>(indices.size()) != n) {
    return ctx.Error(StrCat("there are ", indices.size(), " indices; wanted ",
                            n, " for ", y.TypeText()));
  }
  std::vector<Array> parts(indices.size());
  std::unordered_set<int64_t> seen;
  bool last = ctx.attr<bool>("last");
  for (size_t k = parts.size(); k-- > 0;) {
    if (last && !seen.insert(indices[k]).second) continue;
    parts[k] = PartAt(ctx, indices[k]);
    SL_RETURN_IF_ERROR(CheckPart(ctx, parts[k], indices[k], bytes));
  }
  LayOutOrZeros(parts, std::vector<int64_t>(parts.size(), bytes), y);
  return OkStatus();
}

SL_OP(ListGatherOr)
    .doc(
        "The elements of the gradient of a list that indices name, along a new "
        "first axis, zeros where there are none; `dims` are the sizes of the "
        "result.")
    .input("list: list")
    .input("indices: I")
    .input("dims: i64")
    .output("y: dtype")
    .types("I", kIndices)
    .attr("dtype", AttrKind::kDType, "Of the elements.")
    .attr("last", false,
          "An index that is there several times is read for the last alone.")
    .shape([](ShapeContext& c) { return PartsShape(c, 2); })
    .batch(list_batch::stacked_or)
    .cpu(Launch)
    .grad([](GradContext& g) {
      g.set_dx(0,
               g.call("ListAddRows", {g.call("ListZero", {}), g.in(1), g.dy()},
                      {{"last", g.attr<bool>("last")}}));
    })
    .internal();

}  // namespace
}  // namespace sluice
