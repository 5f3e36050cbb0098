#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/reader.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Reader> reader, ResourceOf<Reader>(ctx));
  return AsOpError(ctx, reader->Restore(*ctx.in(1).data<std::string>()));
}

Status InferShape(ShapeContext& c) { return c.WantRank(1, 0); }

SL_OP(ReaderRestore)
    .doc("Takes a reader of the same files to where ReaderState was asked.")
    .input("handle: resource")
    .input("state: string")
    .shape(InferShape)
    .cpu(Launch)
    .writes();

}  // namespace
}  // namespace sluice
