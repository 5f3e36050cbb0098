#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/reader.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Reader> reader, ResourceOf<Reader>(ctx));
  const std::string* files = ctx.in(1).data<std::string>();
  reader->SetFiles({files, files + ctx.in(1).num_elements()});
  return OkStatus();
}

Status InferShape(ShapeContext& c) { return c.WantRank(1, 1); }

SL_OP(ReaderSetFiles)
    .doc(
        "Gives a reader other files, paths or patterns; it begins with the "
        "first record of the first.")
    .input("handle: resource")
    .input("files: string")
    .shape(InferShape)
    .cpu(Launch)
    .writes();

}  // namespace
}  // namespace sluice
