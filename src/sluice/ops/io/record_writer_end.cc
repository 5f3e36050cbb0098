// RecordWriterClose and RecordWriterFlush.
#include "sluice/op/record.h"
#include "sluice/ops/family.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/record_writer.h"

namespace sluice {
namespace {

Status LaunchRecordWriterClose(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<RecordWriter> writer, ResourceOf<RecordWriter>(ctx));
  return AsOpError(ctx, writer->Close());
}

Status LaunchRecordWriterFlush(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<RecordWriter> writer, ResourceOf<RecordWriter>(ctx));
  return AsOpError(ctx, writer->Flush());
}

OpDefinition& WriterCall(OpDefinition&& op, std::string_view) {
  return op.input("handle: resource")
      .shape(shapes::none)
      .writes()
      .global_effect("files");
}

}  // namespace

SL_OP_OF(RecordWriterClose, WriterCall)
    .doc("Finishes a record file; nothing can be appended afterwards.")
    .cpu(LaunchRecordWriterClose);

SL_OP_OF(RecordWriterFlush, WriterCall)
    .doc("Hands what was appended to a record file over to the system.")
    .cpu(LaunchRecordWriterFlush);

}  // namespace sluice
