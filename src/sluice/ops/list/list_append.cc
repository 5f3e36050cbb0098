#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const ListValue* list, ListInput(ctx));
  SL_ASSIGN_OR_RETURN(Array element, ElementInput(ctx, *list, ctx.in(1)));
  SL_ASSIGN_OR_RETURN(ListValue * out, ListOutput(ctx));
  return AsOpError(ctx, out->Append(std::move(element)));
}

SL_OP(ListAppend)
    .doc("The list with x behind its last element.")
    .input("list: list")
    .input("x: T")
    .output("out: list")
    .types("T", kElements)
    .shape(ListShapes<1>)
    .batch(list_batch::put)
    .batch_lists([](BatchContext& b) {
      return list_batch::set_lists(b, "ListAppendLanes");
    })
    .cpu(Launch)
    .any_memory()
    .dynamic_output()
    .in_place()
    .grad([](GradContext& g) {
      GradVar size = g.call("ListSize", {g.in(0)});
      if (g.wants(1)) {
        g.set_dx(1, g.call("ListGetOr", {g.dy(), size, g.shape_of(g.in(1))},
                           {{"dtype", g.in(1).dtype()}}));
      }
      if (g.wants(0)) g.set_dx(0, g.call("ListTruncate", {g.dy(), size}));
    })
    .role(Role::kListAppend)
    .rejects({{.in = {Array::Zeros(DType::kList, {}), {2}},
               .message = "[ListAppend] list is empty; wanted a list"}});

}  // namespace
}  // namespace sluice
