#include "sluice/base/strings.h"
#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckElementType(c, kElements));
  SL_RETURN_IF_ERROR(ScalarCount(c, 0).status());
  return shapes::scalar(c);
}

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(int64_t size, SizeInput(ctx, 0));
  DType dtype = ctx.attr<DType>("dtype");
  if (!kElements.contains(dtype)) {
    return ctx.Error(
        StrCat("dtype is ", DTypeName(dtype), "; wanted one of ", kElements));
  }
  auto most = ctx.attr<int64_t>("max_size");
  auto list = MakeRef<ListValue>(dtype, ctx.attr<PartialShape>("shape"),
                                 most < 0 ? kMaxListSize : most);
  SL_RETURN_IF_ERROR(AsOpError(ctx, list->Resize(size)));
  ctx.set_out(0, ListArray(std::move(list)));
  return OkStatus();
}

SL_OP(ListNew)
    .doc("A list of `size` elements, none of which is written yet.")
    .input("size: I")
    .output("list: list")
    .types("I", kIndices)
    .attr("dtype", AttrKind::kDType, "Of every element.")
    .attr("shape", PartialShape(), "What is known of every element's shape.")
    .attr("max_size", -1, "The most elements it may come to have; -1: any.")
    .between(-1, kMaxListSize)
    .shape(Infer)
    .role(Role::kListNew)
    .cpu(Launch)
    .any_memory()
    .dynamic_output()
    .rejects({{.in = {Array::Scalar<int64_t>(-1)},
               .attrs = {{"dtype", DType::kF32}},
               .message = "[ListNew] size is -1; wanted 0 or more"},
              {.in = {Array::Scalar<int64_t>(int64_t{1} << 40)},
               .attrs = {{"dtype", DType::kF32}},
               .message = "[ListNew] a list of 1099511627776 elements is too "
                          "long; wanted at most 67108864"},
              {.in = {Array::Scalar<int64_t>(3)},
               .attrs = {{"dtype", DType::kF32}, {"max_size", 2}},
               .message = "[ListNew] a list of 3 elements is too long; wanted "
                          "at most 2"},
              {.in = {Array::Vector<int64_t>({1, 2})},
               .attrs = {{"dtype", DType::kF32}},
               .message = "[ListNew] size is i64[2]; wanted an i32 or i64 "
                          "scalar"},
              {.in = {Array::Scalar<int32_t>(1)},
               .attrs = {{"dtype", DType::kResource}},
               .message = "[ListNew] dtype is resource; wanted one of"}});

}  // namespace
}  // namespace sluice
