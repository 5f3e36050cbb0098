#include "sluice/ops/list/list_op.h"
#include "sluice/state/value_stack.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<ValueStack> stack, ResourceOf<ValueStack>(ctx));
  stack->Close();
  return OkStatus();
}

SL_OP(StackClose)
    .doc(
        "Drops what a stack holds; nothing can be pushed or popped afterwards.")
    .input("handle: resource")
    .shape(shapes::none)
    .cpu(Launch)
    .writes()
    .rejects({{.in = {Array::Handle({})},
               .message = "[StackClose] handle is empty; wanted a stack"}});

}  // namespace
}  // namespace sluice
