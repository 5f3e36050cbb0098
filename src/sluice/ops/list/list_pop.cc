#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckElementType(c, kElements));
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  c.set_out(0, PartialShape::Scalar());
  c.set_out(1, c.attr<PartialShape>("shape"));
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const ListValue* list, TypedListInput(ctx));
  int64_t last = list->size() - 1;
  if (last < 0) {
    return ctx.Error("the list is empty; wanted at least one element");
  }
  SL_ASSIGN_OR_RETURN(Array element, ElementReader(ctx, *list).At(last));
  SL_ASSIGN_OR_RETURN(ListValue * out, ListOutput(ctx));
  ctx.set_out(1, std::move(element));
  return AsOpError(ctx, out->Resize(last));
}

SL_OP(ListPop)
    .doc("The list without its last element, and that element.")
    .input("list: list")
    .output("out: list")
    .output("element: dtype")
    .attr("dtype", AttrKind::kDType, "Of the elements.")
    .attr("shape", PartialShape(), "What is known of the element's shape.")
    .shape(Infer)
    .batch(list_batch::leave)
    .cpu(Launch)
    .any_memory()
    .dynamic_output()
    .in_place()
    .grad([](GradContext& g) {
      GradVar size = g.call("ListSize", {g.out(0)});
      // Later elements may follow it.
      GradVar rest = g.call("ListTruncate", {g.dy(0), size});
      if (g.has_dy(1)) rest = g.call("ListAddAt", {rest, size, g.dy(1)});
      g.set_dx(0, rest);
    })
    .role(Role::kListPop)
    .rejects({{.in = {Array::Zeros(DType::kList, {})},
               .attrs = {{"dtype", DType::kF32}},
               .message = "[ListPop] list is empty; wanted a list"}});

}  // namespace
}  // namespace sluice
