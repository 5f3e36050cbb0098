#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const ListValue* list, ListInput(ctx));
  SL_ASSIGN_OR_RETURN(const ListValue* more, ListInput(ctx, 1));
  for (int64_t i = 0; i < more->size(); ++i) {
    if (!more->there(i)) continue;
    SL_RETURN_IF_ERROR(AsOpError(ctx, list->CheckElement(more->at(i))));
  }
  // Its own elements, when it is put behind itself.
  Array kept = ctx.in(1);
  int64_t first = list->size(), count = more->size();
  SL_ASSIGN_OR_RETURN(ListValue * out, ListOutput(ctx));
  SL_RETURN_IF_ERROR(AsOpError(ctx, out->Resize(first + count)));
  for (int64_t i = 0; i < count; ++i) {
    Array element = ListOf(kept)->at(i);
    if (element) out->Set(first + i, std::move(element));
  }
  return OkStatus();
}

SL_OP(ListExtend)
    .doc("The list with the elements of another behind its last one.")
    .input("list: list")
    .input("more: list")
    .output("out: list")
    .shape(ListShapes<2>)
    .cpu(Launch)
    .any_memory()
    .dynamic_output()
    .in_place()
    .grad([](GradContext& g) {
      GradVar size = g.call("ListSize", {g.in(0)});
      if (g.wants(0)) g.set_dx(0, g.call("ListTruncate", {g.dy(), size}));
      if (!g.wants(1)) return;
      GradVar end = g.call("ListSize", {g.out(0)});
      GradVar places = g.call("Range", {size, end, g.call("OnesLike", {size})});
      g.set_dx(1, g.call("ListSelect", {g.dy(), places}, {{"gradient", true}}));
    })
    .internal()
    .rejects({{.in = {Array::Zeros(DType::kList, {}),
                      Array::Zeros(DType::kList, {})},
               .message = "[ListExtend] list is empty; wanted a list"}});

}  // namespace
}  // namespace sluice
