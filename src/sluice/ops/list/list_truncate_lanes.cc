#include "sluice/ops/list/lane_lists.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(LaneLists lists, LaneListsInput(ctx));
  SL_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, LaneNumbers(ctx, 1, -1));
  if (!lists.lists) {
    ctx.set_out(0, ctx.in(0));
    return OkStatus();
  }
  SL_ASSIGN_OR_RETURN(ListValue * out, ListOutput(ctx));
  auto lanes = static_cast<int64_t>(sizes.size());
  if (out->size() > lanes) {
    SL_RETURN_IF_ERROR(AsOpError(ctx, out->Resize(lanes)));
  }
  for (int64_t k = 0; k < out->size(); ++k) {
    const ListValue* list = out->at(k) ? ListOf(out->at(k)) : nullptr;
    int64_t size = sizes[static_cast<size_t>(k)];
    if (!list || list->size() <= size) continue;
    SL_RETURN_IF_ERROR(WriteLane(
        ctx, *out, k, list->dtype(),
        [&](ListValue& lane) { return AsOpError(ctx, lane.Resize(size)); }));
  }
  return OkStatus();
}

SL_OP(ListTruncateLanes)
    .doc(
        "The gradients of the lists of lanes, list k without what lies at "
        "size[k] and beyond.")
    .input("lists: list")
    .input("size: I")
    .output("out: list")
    .types("I", kIndices)
    .shape(LaneListShapes)
    .cpu(Launch)
    .dynamic_output()
    .in_place()
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ListTruncateLanes", {g.dy(), g.in(1)}));
    })
    .internal()
    .rejects({{.in = {Array::Zeros(DType::kList, {}),
                      Array::Scalar<int64_t>(1)},
               .message = "[ListTruncateLanes] size is i64[]; wanted a "
                          "vector"}});

}  // namespace
}  // namespace sluice
