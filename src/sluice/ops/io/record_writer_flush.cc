#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/record_writer.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<RecordWriter> writer, ResourceOf<RecordWriter>(ctx));
  return AsOpError(ctx, writer->Flush());
}

SL_OP(RecordWriterFlush)
    .doc("Hands what was appended to a record file over to the system.")
    .input("handle: resource")
    .shape(shapes::none)
    .cpu(Launch)
    .writes()
    .global_effect("files")
    .rejects({{.in = {},
               .message = "[RecordWriterFlush] takes 1 input, got 0"}});

}  // namespace
}  // namespace sluice
