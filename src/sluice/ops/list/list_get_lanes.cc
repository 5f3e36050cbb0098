#include "sluice/ops/list/lane_lists.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckElementType(c, kElements));
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  c.set_out(0, c.attr<DType>("dtype") == DType::kList
                   ? PartialShape::Scalar()
                   : c.attr<PartialShape>("shape"));
  return OkStatus();
}

// The known shape of one lane's element.
PartialShape OfOne(const PartialShape& shape) {
  if (!shape.rank_known() || shape.rank() == 0) return {};
  PartialShape one = PartialShape::OfRank(shape.rank() - 1);
  for (int i = 0; i < one.rank(); ++i) one.set_dim(i, shape[i + 1]);
  return one;
}

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(LaneLists lists, LaneListsInput(ctx));
  int64_t lanes = lists.lists ? lists.lists->size() : 0;
  SL_ASSIGN_OR_RETURN(std::vector<int64_t> at, LaneNumbers(ctx, 1, lanes));
  DType dtype = ctx.attr<DType>("dtype");
  std::vector<Array> elements;
  PartialShape shape = OfOne(ctx.attr<PartialShape>("shape"));
  bool unwritten = lanes == 0;
  for (int64_t k = 0; k < lanes; ++k) {
    const ListValue* list = lists.at(k);
    int64_t i = at[static_cast<size_t>(k)];
    if (!list) return ctx.Error(StrCat("lane ", k, " has no list"));
    if (i >= list->size()) return IndexError(ctx, i, list->size());
    if (list->taken(i)) {
      return ctx.Error(StrCat("element ", i,
                              " has already been read, and was cleared then; "
                              "wanted each element to be read once"));
    }
    elements.push_back(list->at(i));
    if (elements.back()) continue;
    unwritten = true;
    Result<PartialShape> merged = MergeShapes(shape, list->ElementShape());
    if (!merged.ok()) return AsOpError(ctx, merged.status());
    shape = *merged;
  }
  std::vector<int64_t> dims;
  if (unwritten && dtype != DType::kList) {
    if (!shape.fully_known()) {
      if (lanes > 0) {
        return ctx.Error(StrCat("an element was never written and only ",
                                TypeText(dtype, shape),
                                " is known of its shape; wanted all of it, to "
                                "give zeros"));
      }
      // No lanes have no sizes either.
      if (!shape.rank_known()) shape = PartialShape::Scalar();
      for (int i = 0; i < shape.rank(); ++i) {
        shape.set_dim(i, std::max<int64_t>(shape[i], 0));
      }
    }
    Shape known = shape.ToShape();
    dims.assign(known.dims().begin(), known.dims().end());
  }
  SL_ASSIGN_OR_RETURN(Array out,
                      StackLanes(ctx, std::move(elements), dtype, dims));
  ctx.set_out(0, std::move(out));
  return OkStatus();
}

SL_OP(ListGetLanes)
    .doc(
        "Element index[k] of list k, for every list of lanes: along a new "
        "first axis or, of lists, as a list. One that was never written is "
        "zeros, if its shape is known.")
    .input("lists: list")
    .input("index: I")
    .output("elements: dtype")
    .types("I", kIndices)
    .attr("dtype", AttrKind::kDType, "Of the elements.")
    .attr("shape", PartialShape(), "What is known of the result's shape.")
    .shape(Infer)
    .cpu(Launch)
    .dynamic_output()
    .grad([](GradContext& g) {
      g.set_dx(
          0, g.call("ListAddLanes", {g.call("ListZero", {}), g.in(1), g.dy()}));
    })
    .internal()
    .rejects({{.in = {Array::Zeros(DType::kList, {}),
                      Array::Vector<int64_t>({0})},
               .attrs = {{"dtype", DType::kF32}},
               .message = "[ListGetLanes] index is i64[1]; wanted a vector of "
                          "0 numbers, one for each lane"}});

}  // namespace
}  // namespace sluice
