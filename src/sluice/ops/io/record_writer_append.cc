#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/record_writer.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<RecordWriter> writer, ResourceOf<RecordWriter>(ctx));
  return AsOpError(
      ctx, writer->Append({ctx.in(1).data<std::string>(),
                           static_cast<size_t>(ctx.in(1).num_elements())}));
}

SL_OP(RecordWriterAppend)
    .doc("Appends strings to a record file, one record each.")
    .input("handle: resource")
    .input("records: string")
    .shape(shapes::none)
    .cpu(Launch)
    .writes()
    .global_effect("files");

}  // namespace
}  // namespace sluice
