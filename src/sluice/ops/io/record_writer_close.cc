#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/record_writer.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<RecordWriter> writer, ResourceOf<RecordWriter>(ctx));
  return AsOpError(ctx, writer->Close());
}

SL_OP(RecordWriterClose)
    .doc("Finishes a record file; nothing can be appended afterwards.")
    .input("handle: resource")
    .shape(shapes::none)
    .cpu(Launch)
    .writes()
    .global_effect("files")
    .rejects({{.in = {},
               .message = "[RecordWriterClose] takes 1 input, got 0"}});

}  // namespace
}  // namespace sluice
