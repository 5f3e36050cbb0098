#include <unordered_set>

#include "sluice/kernels/shape_value.h"
#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_sum.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  return shapes::scalar(c);
}

Status Launch(KernelContext& ctx) {
  Result<Array> xs = OwnedArray(ctx.in(2));
  if (!xs.ok()) return AsOpError(ctx, xs.status());
  auto indices = IntValues(ctx.in(1));
  if (xs->rank() == 0 || xs->dim(0) != static_cast<int64_t>(indices.size())) {
    return ctx.Error(StrCat("xs is ", xs->TypeText(), "; wanted ",
                            indices.size(), " slices, one for each index"));
  }
  SL_ASSIGN_OR_RETURN(std::vector<Array> rows, RowsOf(ctx, *xs));
  for (int64_t i : indices) SL_RETURN_IF_ERROR(CheckPlace(ctx, i));
  SL_ASSIGN_OR_RETURN(ListValue * out, GradientOutput(ctx, xs->dtype()));
  std::unordered_set<int64_t> seen;
  bool last = ctx.attr<bool>("last");
  for (size_t k = rows.size(); k-- > 0;) {
    if (last && !seen.insert(indices[k]).second) continue;
    SL_RETURN_IF_ERROR(AddElement(ctx, *out, indices[k], rows[k]));
  }
  return OkStatus();
}

SL_OP(ListAddRows)
    .doc(
        "The gradient of a list with slice k of xs, along its first axis, "
        "added "
        "to element indices[k].")
    .input("list: list")
    .input("indices: I")
    .input("xs: T")
    .output("out: list")
    .types("I", kIndices)
    .types("T", kNumbers)
    .attr("last", false,
          "Of several slices for one index the last alone is added.")
    .shape(Infer)
    .batch([](BatchContext& b) {
      // Slices along axis 0 are elements.
      if (b.batched(1) || b.rank(2) < 1) return false;
      RuleVar rows = b.move_axis(b.full(2), b.rank(2) + 1, 0, 1);
      return b.set_all({b.together(0), b.in(1), rows});
    })
    .cpu(Launch)
    .dynamic_output()
    .in_place()
    .grad([](GradContext& g) {
      if (g.wants(0)) g.set_dx(0, g.dy());
      if (!g.wants(2)) return;
      g.set_dx(2, g.call("ListGatherOr", {g.dy(), g.in(1), g.shape_of(g.in(2))},
                         {{"dtype", g.in(2).dtype()},
                          {"last", g.attr<bool>("last")}}));
    })
    .role(Role::kListAddRows)
    .internal()
    .rejects({{.in = {Array::Zeros(DType::kList, {}),
                      Array::Vector<int64_t>({0}),
                      {2}},
               .message = "[ListAddRows] xs is f32[2]; wanted 1 slices"}});

}  // namespace
}  // namespace sluice
