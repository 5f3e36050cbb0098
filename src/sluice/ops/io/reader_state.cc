#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/reader.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Reader> reader, ResourceOf<Reader>(ctx));
  *ctx.out(0).mutable_data<std::string>() = reader->State();
  return OkStatus();
}

SL_OP(ReaderState)
    .doc("Where a reader stands, as text that ReaderRestore goes back to.")
    .input("handle: resource")
    .output("state: string")
    .shape(shapes::scalar)
    .cpu(Launch)
    .reads();

}  // namespace
}  // namespace sluice
