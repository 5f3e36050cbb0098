// ListReserve and ListResize.
#include "sluice/ops/family.h"
#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

template <Status (ListValue::*kChange)(int64_t)>
Status Launch(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(ListInput(ctx).status());
  SL_ASSIGN_OR_RETURN(int64_t size, SizeInput(ctx, 1));
  SL_ASSIGN_OR_RETURN(ListValue * out, ListOutput(ctx));
  return AsOpError(ctx, (out->*kChange)(size));
}

OpDefinition& Sized(OpDefinition&& op, std::string_view) {
  return op.input("list: list")
      .input("size: I")
      .output("out: list")
      .types("I", kIndices)
      .shape(ListShapes<2>)
      .batch(list_batch::same_elements)
      .any_memory()
      .dynamic_output()
      .in_place();
}

}  // namespace

SL_OP_OF(ListReserve, Sized)
    .doc("The same list, with room for `size` elements before it moves.")
    .cpu(Launch<&ListValue::Reserve>)
    .grad([](GradContext& g) { g.set_dx(0, g.dy()); })
    .role(Role::kListReserve)
    .internal();

SL_OP_OF(ListResize, Sized)
    .doc("The list cut off, or with unwritten elements behind it, at `size`.")
    .cpu(Launch<&ListValue::Resize>)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ListTruncate", {g.dy(), g.in(1)}));
    });

}  // namespace sluice
