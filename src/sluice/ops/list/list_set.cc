#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const ListValue* list, ListInput(ctx));
  SL_ASSIGN_OR_RETURN(int64_t i, ScalarInt(ctx, 1));
  SL_RETURN_IF_ERROR(CheckWrite(ctx, *list, i));
  SL_ASSIGN_OR_RETURN(Array element, ElementInput(ctx, *list, ctx.in(2)));
  SL_ASSIGN_OR_RETURN(ListValue * out, ListOutput(ctx));
  if (i >= out->size()) {
    SL_RETURN_IF_ERROR(AsOpError(ctx, out->Resize(i + 1)));
  }
  out->Set(i, std::move(element));
  return OkStatus();
}

SL_OP(ListSet)
    .doc(
        "The list with x as element `index`. An index beyond the end makes "
        "the list longer; what lies between is unwritten.")
    .input("list: list")
    .input("index: I")
    .input("x: T")
    .output("out: list")
    .types("I", kIndices)
    .types("T", kElements)
    .attr("once", false, "Refuse an index that has been written or read.")
    .attr("fixed", false, "Refuse an index beyond the end.")
    .shape(ListShapes<2>)
    .batch(list_batch::put)
    .cpu(Launch)
    .any_memory()
    .dynamic_output()
    .in_place()
    .grad([](GradContext& g) {
      if (g.wants(2)) {
        g.set_dx(2, g.call("ListGetOr", {g.dy(), g.in(1), g.shape_of(g.in(2))},
                           {{"dtype", g.in(2).dtype()}}));
      }
      if (g.wants(0)) g.set_dx(0, g.call("ListClear", {g.dy(), g.in(1)}));
    })
    .role(Role::kListSet)
    .rejects({{.in = {Array::Zeros(DType::kList, {}),
                      Array::Scalar<int64_t>(0),
                      {2}},
               .message = "[ListSet] list is empty; wanted a list"}});

}  // namespace
}  // namespace sluice
