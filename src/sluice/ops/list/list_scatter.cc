#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/ops/list/list_op.h"
#include "sluice/state/arithmetic.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(2, 1));
  if (c.in(1).rank_known() && c.in(2).rank_known() && c.in(1)[0] >= 0 &&
      c.in(2)[0] >= 0 && c.in(1)[0] != c.in(2)[0]) {
    return c.Error(StrCat(c.Describe(1), ", ", c.Describe(2),
                          "; wanted a slice of xs for each index"));
  }
  return shapes::scalar(c);
}

Status Launch(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(CheckShapes(ctx));
  SL_ASSIGN_OR_RETURN(const ListValue* list, ListInput(ctx));
  PoolVector<int64_t> indices = IntValues(ctx.in(1));
  SL_ASSIGN_OR_RETURN(Array xs, OwnedArray(ctx.in(2)));
  SL_ASSIGN_OR_RETURN(std::vector<Array> rows, RowsOf(ctx, xs));
  int64_t size = list->size();
  for (size_t k = 0; k < rows.size(); ++k) {
    SL_RETURN_IF_ERROR(CheckWrite(ctx, *list, indices[k]));
    SL_RETURN_IF_ERROR(AsOpError(ctx, list->CheckElement(rows[k])));
    size = std::max(size, indices[k] + 1);
  }
  if (ctx.attr<bool>("once")) {
    PoolVector<int64_t> sorted = indices;
    std::sort(sorted.begin(), sorted.end());
    auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) return WrittenTwice(ctx, *twice);
  }
  SL_ASSIGN_OR_RETURN(ListValue * out, ListOutput(ctx));
  SL_RETURN_IF_ERROR(AsOpError(ctx, out->Resize(size)));
  for (size_t k = 0; k < rows.size(); ++k) {
    out->Set(indices[k], std::move(rows[k]));
  }
  return OkStatus();
}

SL_OP(ListScatter)
    .doc(
        "The list with slice k of xs, along its first axis, as element "
        "indices[k]; of several for one index the last counts. Indices beyond "
        "the end make the list longer.")
    .input("list: list")
    .input("indices: I")
    .input("xs: T")
    .output("out: list")
    .types("I", kIndices)
    .types("T", kAnyData)
    .attr("once", false, "Refuse an index that has been written or read.")
    .attr("fixed", false, "Refuse an index beyond the end.")
    .shape(Infer)
    .cpu(Launch)
    .dynamic_output()
    .in_place()
    .grad([](GradContext& g) {
      if (g.wants(2)) {
        g.set_dx(2,
                 g.call("ListGatherOr", {g.dy(), g.in(1), g.shape_of(g.in(2))},
                        {{"dtype", g.in(2).dtype()}, {"last", true}}));
      }
      if (g.wants(0)) g.set_dx(0, g.call("ListClear", {g.dy(), g.in(1)}));
    })
    .rejects({{.in = {Array::Zeros(DType::kList, {}),
                      Array::Vector<int64_t>({0}),
                      {2, 3}},
               .message = "[ListScatter] indices is i64[1], xs is f32[2,3]; "
                          "wanted a slice of xs for each index"}});

}  // namespace
}  // namespace sluice
