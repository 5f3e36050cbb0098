#include "sluice/op/record.h"
#include "sluice/state/hash_table.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<HashTable> table, ResourceOf<HashTable>(ctx));
  ctx.out(0).mutable_data<int64_t>()[0] = table->size();
  return OkStatus();
}

SL_OP(TableSize)
    .doc("How many keys a table has.")
    .input("handle: resource")
    .output("size: i64")
    .shape(shapes::scalar)
    .cpu(Launch)
    .reads();

}  // namespace
}  // namespace sluice
