// ListTake: the read of an array whose elements are written once and read once.
// Its memory is freed as soon as the reader is done with it.
#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckElementType(c, kElements));
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  SL_RETURN_IF_ERROR(c.WantRank(1, 0));
  c.set_out(0, PartialShape::Scalar());
  c.set_out(1, c.attr<PartialShape>("shape"));
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const ListValue* list, TypedListInput(ctx));
  SL_ASSIGN_OR_RETURN(int64_t i, IndexInput(ctx, 1, list->size()));
  SL_ASSIGN_OR_RETURN(Array element, ElementReader(ctx, *list).At(i));
  SL_ASSIGN_OR_RETURN(ListValue * out, ListOutput(ctx));
  out->Take(i);
  ctx.set_out(1, std::move(element));
  return OkStatus();
}

SL_OP(ListTake)
    .doc(
        "The list without element `index`, and that element. The place stays; "
        "reading it again is an error, and so is writing it `once`.")
    .input("list: list")
    .input("index: I")
    .output("out: list")
    .output("element: dtype")
    .types("I", kIndices)
    .attr("dtype", AttrKind::kDType, "Of the elements.")
    .attr("shape", PartialShape(), "What is known of the element's shape.")
    .shape(Infer)
    .batch(list_batch::leave)
    .cpu(Launch)
    .any_memory()
    .dynamic_output()
    .in_place()
    .grad([](GradContext& g) {
      GradVar rest = g.call("ListClear", {g.dy(0), g.in(1)});
      if (g.has_dy(1)) rest = g.call("ListAddAt", {rest, g.in(1), g.dy(1)});
      g.set_dx(0, rest);
    })
    .role(Role::kListTake);

}  // namespace
}  // namespace sluice
