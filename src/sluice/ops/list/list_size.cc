#include "sluice/op/batch_rules.h"
#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const ListValue* list, ListInput(ctx));
  *ctx.out(0).mutable_data<int64_t>() = list->size();
  return OkStatus();
}

SL_OP(ListSize)
    .doc("How many elements a list has, written or not.")
    .input("list: list")
    .output("size: i64")
    .shape(ListShapes<1>)
    .batch([](BatchContext& b) {
      b.set(0, b.call("ListSize", {b.in(0)}), false);
      return true;
    })
    .batch_lists([](BatchContext& b) {
      b.set(0, b.call("ListSizeLanes", {b.full(0)}));
      return true;
    })
    .cpu(Launch)
    .shape_only()  // a list's size is its shape: kept instead of the list
    .role(Role::kListSize)
    .recompute(Recompute::kCheap)
    .rejects({{.in = {Array::Zeros(DType::kList, {})},
               .message = "[ListSize] list is empty; wanted a list"},
              {.in = {Array::Zeros(DType::kList, {2})},
               .message = "[ListSize] list is list[2]; wanted rank 0"}});

}  // namespace
}  // namespace sluice
