#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const ListValue* list, ListInput(ctx, 0));
  SL_ASSIGN_OR_RETURN(const ListValue* from, ListInput(ctx, 1));
  if (ctx.attr<bool>("fixed") && from->size() > list->size()) {
    return ctx.Error(StrCat("from has ", from->size(),
                            " elements; wanted at "
                            "most ",
                            list->size(), ", the size of the list"));
  }
  for (int64_t i = 0; i < from->size(); ++i) {
    if (!from->there(i)) continue;
    SL_RETURN_IF_ERROR(CheckWrite(ctx, *list, i));
    SL_RETURN_IF_ERROR(AsOpError(ctx, list->CheckElement(from->at(i))));
  }
  SL_ASSIGN_OR_RETURN(ListValue * out, ListOutput(ctx));
  SL_RETURN_IF_ERROR(
      AsOpError(ctx, out->Resize(std::max(out->size(), from->size()))));
  for (int64_t i = 0; i < from->size(); ++i) {
    if (from->there(i)) out->Set(i, from->at(i));
  }
  return OkStatus();
}

SL_OP(ListWriteAll)
    .doc(
        "The list with the elements of another in their places; a longer one "
        "makes it longer.")
    .input("list: list")
    .input("from: list")
    .output("out: list")
    .attr("once", false, "Refuse an index that has been written or read.")
    .attr("fixed", false, "Refuse an index beyond the end.")
    .shape(ListShapes<2>)
    .batch(list_batch::both_lists)
    .cpu(Launch)
    .dynamic_output()
    .in_place()
    .grad([](GradContext& g) {
      for (int i = 0; i < 2; ++i) {
        if (!g.wants(i)) continue;
        g.set_dx(i,
                 g.call("ListMask", {g.dy(), g.in(1)}, {{"written", i == 1}}));
      }
    })
    .role(Role::kListWriteAll)
    .internal();

}  // namespace
}  // namespace sluice
