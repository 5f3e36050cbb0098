#include "sluice/op/record.h"
#include "sluice/state/hash_table.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<HashTable> table, ResourceOf<HashTable>(ctx));
  return AsOpError(ctx, table->Find(ctx.in(1), ctx.in(2), ctx.out(0)));
}

Status InferShape(ShapeContext& c) {
  const PartialShape &keys = c.in(1), &value = c.in(2);
  if (!keys.rank_known() || !value.rank_known()) return OkStatus();
  std::vector<int64_t> dims(keys.dims().begin(), keys.dims().end());
  dims.insert(dims.end(), value.dims().begin(), value.dims().end());
  Result<PartialShape> out = PartialShape::Make(dims);
  if (!out.ok()) return c.Error(out.status().message());
  c.set_out(0, *out);
  return OkStatus();
}

SL_OP(TableFind)
    .doc(
        "The values of keys in a table, and `default`, of the shape of one "
        "value, for keys that are not there.")
    .input("handle: resource")
    .input("keys: K")
    .input("default: V")
    .output("values: V")
    .types("K", {DType::kI32, DType::kI64, DType::kString})
    .types("V", kAnyData)
    .shape(InferShape)
    .no_grad("its values lie in a table")
    .cpu(Launch)
    .reads();

}  // namespace
}  // namespace sluice
