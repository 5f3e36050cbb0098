#include "sluice/ops/list/lane_lists.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(LaneListsInput(ctx).status());
  SL_ASSIGN_OR_RETURN(std::vector<int64_t> at, LaneNumbers(ctx, 1, -1));
  SL_ASSIGN_OR_RETURN(std::vector<Array> rows, LaneRows(ctx, 2));
  auto lanes = static_cast<int64_t>(at.size());
  if (rows.size() > at.size()) {
    return ctx.Error(StrCat("x has ", rows.size(), " lanes; wanted ", lanes,
                            ", as there are indices"));
  }
  DType dtype = ctx.in(2).dtype();
  SL_ASSIGN_OR_RETURN(ListValue * out, LaneListsOutput(ctx, lanes));
  for (size_t k = 0; k < rows.size(); ++k) {
    if (!rows[k] || IsNothing(rows[k])) continue;
    if (dtype == DType::kList && !ListOf(rows[k])) continue;
    SL_RETURN_IF_ERROR(WriteLane(ctx, *out, static_cast<int64_t>(k), dtype,
                                 [&](ListValue& list) {
                                   return AddElement(ctx, list, at[k], rows[k]);
                                 }));
  }
  return OkStatus();
}

SL_OP(ListAddLanes)
    .doc(
        "The gradients of the lists of lanes with what lane k has of x added "
        "to element index[k] of list k, where none is zeros.")
    .input("lists: list")
    .input("index: I")
    .input("x: T")
    .output("out: list")
    .types("I", kIndices)
    .types("T", kElements)
    .shape(LaneListShapes)
    .cpu(Launch)
    .dynamic_output()
    .in_place()
    .grad([](GradContext& g) {
      if (g.wants(0)) g.set_dx(0, g.dy());
      if (!g.wants(2)) return;
      g.set_dx(2,
               g.call("ListGetLanesOr", {g.dy(), g.in(1), g.shape_of(g.in(2))},
                      {{"dtype", g.in(2).dtype()}}));
    })
    .internal()
    .rejects({{.in = {Array::Zeros(DType::kList, {}),
                      Array::Vector<int64_t>({0}),
                      {2}},
               .message = "[ListAddLanes] x has 2 lanes; wanted 1, as there "
                          "are indices"}});

}  // namespace
}  // namespace sluice
