#include "sluice/base/strings.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckElementType(c, kAnyData));
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  const auto& shape = c.attr<PartialShape>("shape");
  if (!shape.rank_known()) return OkStatus();
  std::vector<int64_t> dims{c.attr<int64_t>("size")};
  dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const ListValue* list, TypedListInput(ctx));
  auto want = ctx.attr<int64_t>("size");
  if (want >= 0 && list->size() != want) {
    return ctx.Error(
        StrCat("list is a ", list->Describe(), "; wanted ", want, " elements"));
  }
  SL_ASSIGN_OR_RETURN(Array y, StackAll(ctx, *list));
  ctx.set_out(0, std::move(y));
  return OkStatus();
}

SL_OP(ListStack)
    .doc(
        "All elements of a list, which have one shape, along a new first axis. "
        "Those never written are zeros, if their shape is known.")
    .input("list: list")
    .output("y: dtype")
    .attr("dtype", AttrKind::kDType, "Of the elements.")
    .attr("shape", PartialShape(), "What is known of every element's shape.")
    .attr("size", -1, "How many elements there are; -1: not known.")
    .between(-1, kMaxListSize)
    .shape(Infer)
    .batch([](BatchContext& b) {
      return list_batch::set_turned(
          b,
          b.call("ListStack", {b.in(0)}, list_batch::elements_with_lanes(b)));
    })
    .cpu(Launch)
    .dynamic_output()
    .grad([](GradContext& g) { g.set_dx(0, g.call("ListUnstack", {g.dy()})); })
    .role(Role::kListStack)
    .rejects({{.in = {Array::Zeros(DType::kList, {})},
               .attrs = {{"dtype", DType::kF32}},
               .message = "[ListStack] list is empty; wanted a list"}});

}  // namespace
}  // namespace sluice
