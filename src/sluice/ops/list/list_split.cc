#include "sluice/base/strings.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/ops/list/list_op.h"
#include "sluice/state/arithmetic.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  return shapes::scalar(c);
}

Status Launch(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(CheckShapes(ctx));
  SL_ASSIGN_OR_RETURN(Array x, OwnedArray(ctx.in(0)));
  PoolVector<int64_t> lengths = IntValues(ctx.in(1));
  int64_t left = x.dim(0);
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 0 || lengths[i] > left) {
      return ctx.Error(StrCat("lengths[", i, "] is ", lengths[i],
                              "; wanted 0 "
                              "<= length <= ",
                              left, ", what is left of x"));
    }
    left -= lengths[i];
  }
  if (left != 0) {
    return ctx.Error(StrCat("lengths add up to ", x.dim(0) - left, "; wanted ",
                            x.dim(0), ", the first size of x"));
  }
  PartialShape rest = x.shape();
  rest.set_dim(0, kUnknownDim);
  auto list = MakeRef<ListValue>(x.dtype(), rest);
  SL_RETURN_IF_ERROR(
      AsOpError(ctx, list->Resize(static_cast<int64_t>(lengths.size()))));
  std::vector<int64_t> dims(x.shape().dims().begin(), x.shape().dims().end());
  int64_t begin = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    dims[0] = lengths[i];
    SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
    list->Set(static_cast<int64_t>(i), PartOf(x, begin, shape));
    begin += shape.num_elements();
  }
  ctx.set_out(0, ListArray(std::move(list)));
  return OkStatus();
}

SL_OP(ListSplit)
    .doc(
        "A list of stretches of x along its first axis, not copied: first "
        "lengths[0] slices, then lengths[1] and so on.")
    .input("x: T")
    .input("lengths: I")
    .output("list: list")
    .types("T", kAnyData)
    .types("I", kIndices)
    .shape(Infer)
    .cpu(Launch)
    .dynamic_output()
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ListConcatOr", {g.dy(), g.in(1), g.shape_of(g.in(0))},
                         {{"dtype", g.in(0).dtype()}}));
    })
    .role(Role::kListSplit)
    .rejects({{.in = {{3}, Array::Vector<int64_t>({1, 3})},
               .message = "[ListSplit] lengths[1] is 3; wanted 0 <= length <= "
                          "2, what is left of x"},
              {.in = {{3}, Array::Vector<int64_t>({1, INT64_MIN})},
               .message = "[ListSplit] lengths[1] is -9223372036854775808; "},
              {.in = {{3}, Array::Vector<int32_t>({1, 1})},
               .message = "[ListSplit] lengths add up to 2; wanted 3, the "
                          "first size of x"},
              {.in = {Shape(), Array::Vector<int64_t>({1})},
               .message = "[ListSplit] x is f32[]; wanted rank 1 or more"}});

}  // namespace
}  // namespace sluice
