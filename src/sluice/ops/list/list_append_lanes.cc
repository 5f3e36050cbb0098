#include "sluice/ops/list/lane_lists.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(LaneLists lists, LaneListsInput(ctx));
  SL_ASSIGN_OR_RETURN(std::vector<Array> rows, LaneRows(ctx, 1));
  auto lanes = static_cast<int64_t>(rows.size());
  if (!lists.lists || lists.lists->size() != lanes) {
    return ctx.Error(StrCat("x has ", lanes, " lanes; wanted ",
                            lists.lists ? lists.lists->size() : 0,
                            ", as there are lists"));
  }
  for (int64_t k = 0; k < lanes; ++k) {
    const ListValue* list = lists.at(k);
    if (!list) return ctx.Error(StrCat("lane ", k, " has no list"));
    const Array& row = rows[static_cast<size_t>(k)];
    // A value that a lane does not read has no shape to be checked.
    if (row.dtype() == list->dtype() && IsNothing(row)) continue;
    SL_RETURN_IF_ERROR(AsOpError(ctx, list->CheckElement(row)));
  }
  SL_ASSIGN_OR_RETURN(ListValue * out, LaneListsOutput(ctx, lanes));
  DType dtype = ctx.in(1).dtype();
  for (int64_t k = 0; k < lanes; ++k) {
    Array& row = rows[static_cast<size_t>(k)];
    SL_RETURN_IF_ERROR(WriteLane(ctx, *out, k, dtype, [&](ListValue& list) {
      return AsOpError(ctx, list.Append(std::move(row)));
    }));
  }
  return OkStatus();
}

SL_OP(ListAppendLanes)
    .doc("The lists of lanes with what lane k has of x behind list k's end.")
    .input("lists: list")
    .input("x: T")
    .output("out: list")
    .types("T", kElements)
    .shape(LaneListShapes)
    .cpu(Launch)
    .dynamic_output()
    .in_place()
    .grad([](GradContext& g) {
      GradVar sizes = g.call("ListSizeLanes", {g.in(0)});
      if (g.wants(1)) {
        g.set_dx(1,
                 g.call("ListGetLanesOr", {g.dy(), sizes, g.shape_of(g.in(1))},
                        {{"dtype", g.in(1).dtype()}}));
      }
      if (g.wants(0)) g.set_dx(0, g.call("ListTruncateLanes", {g.dy(), sizes}));
    })
    .internal()
    .rejects({{.in = {Array::Zeros(DType::kList, {}), {2}},
               .message = "[ListAppendLanes] x has 2 lanes; wanted 0, as there "
                          "are lists"}});

}  // namespace
}  // namespace sluice
