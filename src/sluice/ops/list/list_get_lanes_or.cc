#include "sluice/ops/list/lane_lists.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckElementType(c, kElements));
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  if (c.attr<DType>("dtype") == DType::kList) return shapes::scalar(c);
  SL_ASSIGN_OR_RETURN(PartialShape out, ShapeFromInput(c, 2));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(LaneLists lists, LaneListsInput(ctx));
  SL_ASSIGN_OR_RETURN(std::vector<int64_t> at, LaneNumbers(ctx, 1, -1));
  DType dtype = ctx.attr<DType>("dtype");
  std::vector<Array> elements;
  for (size_t k = 0; k < at.size(); ++k) {
    const ListValue* list = lists.at(static_cast<int64_t>(k));
    elements.push_back(list && at[k] < list->size() ? list->at(at[k])
                                                    : Array());
  }
  auto dims = IntValues(ctx.in(2));
  std::vector<int64_t> one;
  if (!dims.empty()) one.assign(dims.begin() + 1, dims.end());
  SL_ASSIGN_OR_RETURN(Array out,
                      StackLanes(ctx, std::move(elements), dtype, one));
  ctx.set_out(0, std::move(out));
  return OkStatus();
}

SL_OP(ListGetLanesOr)
    .doc(
        "Element index[k] of the gradient of list k, for every list of lanes; "
        "zeros where there is none. `dims` are the sizes of the result.")
    .input("lists: list")
    .input("index: I")
    .input("dims: i64")
    .output("elements: dtype")
    .types("I", kIndices)
    .attr("dtype", AttrKind::kDType, "Of the elements.")
    .shape(Infer)
    .cpu(Launch)
    .dynamic_output()
    .grad([](GradContext& g) {
      g.set_dx(
          0, g.call("ListAddLanes", {g.call("ListZero", {}), g.in(1), g.dy()}));
    })
    .internal()
    .rejects({{.in = {Array::Zeros(DType::kList, {}),
                      Array::Vector<int64_t>({-1}),
                      Array::Vector<int64_t>({1})},
               .attrs = {{"dtype", DType::kF32}},
               .message = "[ListGetLanesOr] index is -1; wanted 0 <= index"}});

}  // namespace
}  // namespace sluice
