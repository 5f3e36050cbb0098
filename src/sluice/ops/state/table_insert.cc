#include "sluice/op/record.h"
#include "sluice/state/hash_table.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<HashTable> table, ResourceOf<HashTable>(ctx));
  return AsOpError(ctx, table->Insert(ctx.in(1), ctx.in(2)));
}

SL_OP(TableInsert)
    .doc(
        "Sets the values of keys in a table. `values` has the shape of `keys` "
        "followed by that of one value; of a key given twice, the last value "
        "stays.")
    .input("handle: resource")
    .input("keys: K")
    .input("values: V")
    .types("K", {DType::kI32, DType::kI64, DType::kString})
    .types("V", kAnyData)
    .shape(shapes::none)
    .cpu(Launch)
    .writes();

}  // namespace
}  // namespace sluice
