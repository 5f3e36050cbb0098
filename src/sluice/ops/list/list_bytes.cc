// ListBytes: the memory that a list holds, for code that bounds it.
#include "sluice/ops/list/kept_bytes.h"
#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  if (ctx.in(0).num_elements() != 1) return ListInput(ctx).status();
  *ctx.out(0).mutable_data<int64_t>() = KeptBytes(ctx.in(0));
  return OkStatus();
}

SL_OP(ListBytes)
    .doc(
        "The bytes of all elements of a list, of lists inside it, too; memory "
        "that several of them share is counted once. No list has 0.")
    .input("list: list")
    .output("bytes: i64")
    .shape(ListShapes<1>)
    .cpu(Launch)
    .no_grad("it counts bytes")
    .internal()
    .rejects({{.in = {Array::Zeros(DType::kList, {2})},
               .message = "[ListBytes] list is list[2]; wanted rank 0"}});

}  // namespace
}  // namespace sluice
