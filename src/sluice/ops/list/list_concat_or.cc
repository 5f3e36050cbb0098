#include "sluice/kernels/shape_value.h"
#include "sluice/ops/list/list_sum.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  int64_t row = y.dim(0) == 0 ? 0 : y.bytes() / y.dim(0);
  std::vector<Array> parts;
  std::vector<int64_t> bytes;
  int64_t all = 0;
  for (int64_t length : IntValues(ctx.in(1))) {
    auto i = static_cast<int64_t>(parts.size());
    if (length < 0 || length > y.dim(0)) {
      return ctx.Error(StrCat("lengths[", i, "] is ", length, "; wanted 0 to ",
                              y.dim(0), ", as ", y.TypeText(), " has"));
    }
    parts.push_back(PartAt(ctx, i));
    bytes.push_back(length * row);
    all += bytes.back();
    SL_RETURN_IF_ERROR(CheckPart(ctx, parts.back(), i, bytes.back()));
  }
  if (all != y.bytes()) {
    return ctx.Error(StrCat("lengths are of ", all, " bytes; wanted ",
                            y.bytes(), " of ", y.TypeText()));
  }
  LayOutOrZeros(parts, bytes, y);
  return OkStatus();
}

SL_OP(ListConcatOr)
    .doc(
        "The elements of the gradient of a list one after the other along "
        "their first axis, `lengths` slices each, zeros where there are none; "
        "`dims` are the sizes of the result.")
    .input("list: list")
    .input("lengths: I")
    .input("dims: i64")
    .output("y: dtype")
    .types("I", kIndices)
    .attr("dtype", AttrKind::kDType, "Of the elements.")
    .shape([](ShapeContext& c) { return PartsShape(c, 2); })
    .cpu(Launch)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ListSplit", {g.dy(), g.in(1)}));
    })
    .internal()
    .rejects({{.in = {Array::Zeros(DType::kList, {}),
                      Array::Vector<int64_t>({1}), Array::Vector<int64_t>({2})},
               .attrs = {{"dtype", DType::kF32}},
               .message = "[ListConcatOr] lengths are of 4 bytes; wanted 8"}});

}  // namespace
}  // namespace sluice
