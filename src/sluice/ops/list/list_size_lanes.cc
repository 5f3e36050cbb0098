#include "sluice/ops/list/lane_lists.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  c.set_out(0, PartialShape{kUnknownDim});
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(LaneLists lists, LaneListsInput(ctx));
  SL_RETURN_IF_ERROR(ListInput(ctx).status());
  std::vector<int64_t> sizes;
  for (int64_t k = 0; k < lists.lists->size(); ++k) {
    const ListValue* list = lists.at(k);
    if (!list) return ctx.Error(StrCat("lane ", k, " has no list"));
    sizes.push_back(list->size());
  }
  ctx.set_out(0, Array::Vector(std::span<const int64_t>(sizes)));
  return OkStatus();
}

SL_OP(ListSizeLanes)
    .doc("How many elements the list of each lane has.")
    .input("lists: list")
    .output("sizes: i64")
    .shape(Infer)
    .cpu(Launch)
    .dynamic_output()
    .internal()
    .rejects({{.in = {Array::Zeros(DType::kList, {})},
               .message = "[ListSizeLanes] lists is empty; wanted a list"}});

}  // namespace
}  // namespace sluice
