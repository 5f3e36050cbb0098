#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/reader.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Reader> reader, ResourceOf<Reader>(ctx));
  reader->Restart();
  return OkStatus();
}

SL_OP(ReaderReset)
    .doc("Takes a reader back to the first record of its first file.")
    .input("handle: resource")
    .shape(shapes::none)
    .cpu(Launch)
    .writes();

}  // namespace
}  // namespace sluice
