#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(ListInput(ctx).status());
  SL_ASSIGN_OR_RETURN(int64_t size, SizeInput(ctx, 1));
  SL_ASSIGN_OR_RETURN(ListValue * out, ListOutput(ctx));
  return AsOpError(ctx, out->Resize(size));
}

SL_OP(ListResize)
    .doc("The list cut off, or with unwritten elements behind it, at `size`.")
    .input("list: list")
    .input("size: I")
    .output("out: list")
    .types("I", kIndices)
    .shape(ListShapes<2>)
    .batch(list_batch::same_elements)
    .cpu(Launch)
    .any_memory()
    .dynamic_output()
    .in_place()
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ListTruncate", {g.dy(), g.in(1)}));
    })
    .rejects({{.in = {{2}, Array::Scalar<int64_t>(0)},
               .message = "[ListResize] list is f32; wanted list"}});

}  // namespace
}  // namespace sluice
