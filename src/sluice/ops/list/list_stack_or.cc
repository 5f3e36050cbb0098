#include "sluice/kernels/shape_value.h"
#include "sluice/ops/list/list_sum.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckElementType(c, kAnyData));
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  SL_ASSIGN_OR_RETURN(PartialShape out, ShapeFromInput(c, 1));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  int64_t n = y.dim(0);
  int64_t bytes = n == 0 ? 0 : y.bytes() / n;
  std::vector<Array> parts;
  for (int64_t i = 0; i < n; ++i) {
    parts.push_back(PartAt(ctx, i));
    const Array& part = parts.back();
    if (part && (part.dtype() != y.dtype() || part.bytes() != bytes)) {
      return ctx.Error(StrCat("element ", i, " is ", part.TypeText(),
                              "; wanted a slice of ", y.TypeText()));
    }
  }
  LayOutOrZeros(parts, std::vector<int64_t>(parts.size(), bytes), y);
  return OkStatus();
}

SL_OP(ListStackOr)
    .doc(
        "The elements of the gradient of a list along a new first axis, zeros "
        "where there are none; `dims` are the sizes of the result.")
    .input("list: list")
    .input("dims: i64")
    .output("y: dtype")
    .attr("dtype", AttrKind::kDType, "Of the elements.")
    .shape(Infer)
    .cpu(Launch)
    .grad([](GradContext& g) { g.set_dx(0, g.call("ListUnstack", {g.dy()})); })
    .rejects({{.in = {{2}, Array::Vector<int64_t>({2})},
               .attrs = {{"dtype", DType::kF32}},
               .message = "[ListStackOr] list is f32; wanted list"}});

}  // namespace
}  // namespace sluice
