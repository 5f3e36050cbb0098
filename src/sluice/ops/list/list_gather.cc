#include "sluice/kernels/shape_value.h"
#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckElementType(c, kAnyData));
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  const auto& shape = c.attr<PartialShape>("shape");
  if (!shape.rank_known()) return OkStatus();
  std::vector<int64_t> dims{c.in(1).rank_known() ? c.in(1)[0] : kUnknownDim};
  dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(CheckShapes(ctx));
  SL_ASSIGN_OR_RETURN(const ListValue* list, TypedListInput(ctx));
  ElementReader reader(ctx, *list);
  std::vector<Array> elements;
  for (int64_t i : IntValues(ctx.in(1))) {
    if (i < 0 || i >= list->size()) return IndexError(ctx, i, list->size());
    SL_ASSIGN_OR_RETURN(Array element, reader.At(i));
    elements.push_back(std::move(element));
  }
  SL_ASSIGN_OR_RETURN(Array y, StackElements(ctx, *list, elements));
  ctx.set_out(0, std::move(y));
  return OkStatus();
}

SL_OP(ListGather)
    .doc(
        "The elements of a list that indices name, which have one shape, along "
        "a new first axis.")
    .input("list: list")
    .input("indices: I")
    .output("y: dtype")
    .types("I", kIndices)
    .attr("dtype", AttrKind::kDType, "Of the elements.")
    .attr("shape", PartialShape(), "What is known of every element's shape.")
    .shape(Infer)
    .batch([](BatchContext& b) {
      if (b.batched(1)) return false;
      return list_batch::set_turned(b,
                                    b.call("ListGather", {b.in(0), b.in(1)},
                                           list_batch::elements_with_lanes(b)));
    })
    .cpu(Launch)
    .dynamic_output()
    .grad([](GradContext& g) {
      g.set_dx(
          0, g.call("ListAddRows", {g.call("ListZero", {}), g.in(1), g.dy()}));
    })
    .role(Role::kListGather)
    .rejects({{.in = {Array::Zeros(DType::kList, {}),
                      Array::Scalar<int64_t>(0)},
               .attrs = {{"dtype", DType::kF32}},
               .message = "[ListGather] indices is i64[]; wanted rank 1"}});

}  // namespace
}  // namespace sluice
