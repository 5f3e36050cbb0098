#include <cstring>

#include "sluice/ops/list/list_batch.h"
#include "sluice/ops/list/list_op.h"

namespace sluice {
namespace {

// Nesting is at most kMaxListDepth deep.
Result<Array> Zeros(const ListValue& list) {
  auto out = MakeRef<ListValue>(list.dtype(), list.shape(), list.max_size());
  SL_RETURN_IF_ERROR(out->Resize(list.size()));
  for (int64_t i = 0; i < list.size(); ++i) {
    Array e = list.at(i);
    if (!e) continue;
    if (const ListValue* inner = ListOf(e)) {
      SL_ASSIGN_OR_RETURN(Array zeros, Zeros(*inner));
      out->Set(i, std::move(zeros));
      continue;
    }
    SL_ASSIGN_OR_RETURN(Array zeros, Array::Make(e.dtype(), e.shape()));
    if (IsPlainData(e.dtype())) {
      std::memset(zeros.mutable_raw(), 0, static_cast<size_t>(zeros.bytes()));
    }
    out->Set(i, std::move(zeros));
  }
  return ListArray(std::move(out));
}

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(const ListValue* list, ListInput(ctx));
  Result<Array> zeros = Zeros(*list);
  if (!zeros.ok()) return AsOpError(ctx, zeros.status());
  ctx.set_out(0, *std::move(zeros));
  return OkStatus();
}

SL_OP(ListZerosLike)
    .doc(
        "A list of zeros of the types and shapes of another's elements; what "
        "was never written there is not written here.")
    .input("list: list")
    .output("out: list")
    .shape(ListShapes<1>)
    .batch(list_batch::same_elements)
    .cpu(Launch)
    .dynamic_output()
    .grad([](GradContext&) {})
    .role(Role::kListZerosLike);

}  // namespace
}  // namespace sluice
