#include "sluice/op/record.h"
#include "sluice/state/hash_table.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<HashTable> table, ResourceOf<HashTable>(ctx));
  return AsOpError(ctx, table->Erase(ctx.in(1)));
}

SL_OP(TableErase)
    .doc("Removes keys from a table; those that are not there are passed over.")
    .input("handle: resource")
    .input("keys: K")
    .types("K", {DType::kI32, DType::kI64, DType::kString})
    .shape(shapes::none)
    .cpu(Launch)
    .writes();

}  // namespace
}  // namespace sluice
