#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/op/signature.h"
#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckElementType(c, kAnyData));
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  c.set_out(1, PartialShape::OfRank(1));
  PartialShape shape = c.attr<PartialShape>("shape");
  if (shape.rank() == 0) {
    return c.Error("the elements are scalars; wanted rank 1 or more");
  }
  if (shape.rank_known()) shape.set_dim(0, kUnknownDim);
  c.set_out(0, shape);
  return OkStatus();
}

// The shape of one element, but for its first axis, which is 0.
Result<Shape> RestOf(const KernelContext& ctx, const ListValue& list,
                     std::span<const Array> elements) {
  PartialShape shape;
  if (!elements.empty()) {
    shape = elements[0].shape();
  } else {
    SL_ASSIGN_OR_RETURN(
        shape, MergeShapes(ctx.attr<PartialShape>("shape"), list.shape()));
  }
  if (shape.rank() == 0) {
    return ctx.Error(StrCat("the elements are ", TypeText(list.dtype(), shape),
                            "; wanted rank 1 or more"));
  }
  if (shape.rank_known()) shape.set_dim(0, 0);
  if (!shape.fully_known()) {
    return ctx.Error(StrCat("there are no elements and only ",
                            TypeText(list.dtype(), shape),
                            " is known of their shape; wanted all but the "
                            "first size"));
  }
  return shape.ToShape();
}

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const ListValue* list, TypedListInput(ctx));
  SL_ASSIGN_OR_RETURN(std::vector<Array> elements,
                      ElementReader(ctx, *list).All());
  Result<Shape> rest = RestOf(ctx, *list, elements);
  if (!rest.ok()) return InOp(ctx.op(), rest.status());
  Result<Array> lengths = Array::Make(DType::kI64, Shape({list->size()}));
  if (!lengths.ok()) return AsOpError(ctx, lengths.status());
  std::vector<int64_t> dims(rest->dims().begin(), rest->dims().end());
  for (size_t i = 0; i < elements.size(); ++i) {
    const Array& e = elements[i];
    bool same = e.rank() == rest->rank();
    for (int k = 1; same && k < e.rank(); ++k) same = e.dim(k) == rest->dim(k);
    if (!same) {
      return ctx.Error(StrCat("element ", i, " is ", e.TypeText(),
                              ", element "
                              "0 is ",
                              elements[0].TypeText(),
                              "; wanted equal sizes but for the first"));
    }
    lengths->mutable_data<int64_t>()[i] = e.dim(0);
    // No overflow: sizes are below 2^48 and lists below 2^26 elements.
    dims[0] = std::min(dims[0] + e.dim(0), kMaxElements + 1);
  }
  Result<Shape> shape = Shape::Make(dims);
  if (!shape.ok()) return AsOpError(ctx, shape.status());
  Result<Array> values = MakeHere(ctx, list->dtype(), *shape);
  if (!values.ok()) return AsOpError(ctx, values.status());
  LayOut(ctx, elements, *values);
  ctx.set_out(0, *std::move(values));
  ctx.set_out(1, *std::move(lengths));
  return OkStatus();
}

SL_OP(ListConcat)
    .doc(
        "All elements of a list one after the other along their first axis, "
        "and how long each was.")
    .input("list: list")
    .output("values: dtype")
    .output("lengths: i64")
    .attr("dtype", AttrKind::kDType, "Of the elements.")
    .attr("shape", PartialShape(), "What is known of every element's shape.")
    .shape(Infer)
    .cpu(Launch)
    .dynamic_output()
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ListSplit", {g.dy(0), g.out(1)}));
    })
    .role(Role::kListConcat);

}  // namespace
}  // namespace sluice
