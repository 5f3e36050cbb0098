#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_sum.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const ListValue* like, ListInput(ctx, 1));
  const ListValue* list = ListOf(ctx.in(0));
  if (!list) {
    ctx.set_out(0, ctx.in(0));
    return OkStatus();
  }
  SL_ASSIGN_OR_RETURN(ListValue * out, ListOutput(ctx));
  bool written = ctx.attr<bool>("written");
  for (int64_t i = 0; i < out->size(); ++i) {
    bool there = i < like->size() && like->there(i);
    if (there != written) out->Clear(i);
  }
  return OkStatus();
}

SL_OP(ListMask)
    .doc(
        "The gradient of a list at the elements that are written in `like`, "
        "or at those that are not, and zeros at the others.")
    .input("list: list")
    .input("like: list")
    .output("out: list")
    .attr("written", true, "What stays: the elements written in `like`.")
    .shape(ListShapes<2>)
    .batch(list_batch::same_elements)
    .cpu(Launch)
    .dynamic_output()
    .in_place()
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ListMask", {g.dy(), g.in(1)},
                         {{"written", g.attr<bool>("written")}}));
    })
    .role(Role::kListMask)
    .internal();

}  // namespace
}  // namespace sluice
