#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_sum.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(int64_t size, SizeInput(ctx, 1));
  const ListValue* list = ListOf(ctx.in(0));
  if (!list || list->size() <= size) {
    ctx.set_out(0, ctx.in(0));
    return OkStatus();
  }
  SL_ASSIGN_OR_RETURN(ListValue * out, ListOutput(ctx));
  return AsOpError(ctx, out->Resize(size));
}

SL_OP(ListTruncate)
    .doc("The gradient of a list without what lies at `size` and beyond.")
    .input("list: list")
    .input("size: I")
    .output("out: list")
    .types("I", kIndices)
    .shape(ListShapes<2>)
    .batch(list_batch::same_elements)
    .batch_lists([](BatchContext& b) {
      return list_batch::set_lists(b, "ListTruncateLanes");
    })
    .cpu(Launch)
    .any_memory()
    .dynamic_output()
    .in_place()
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ListTruncate", {g.dy(), g.in(1)}));
    })
    .role(Role::kListTruncate)
    .internal()
    .rejects({{.in = {Array::Zeros(DType::kList, {}),
                      Array::Scalar<int64_t>(-1)},
               .message = "[ListTruncate] size is -1; wanted 0 or more"}});

}  // namespace
}  // namespace sluice
