#include "sluice/state/record_writer.h"

#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  RecordWriter::Spec spec{ctx.attr<std::string>("path"),
                          ctx.attr<bool>("append")};
  return MakeHandle(
      ctx, spec.ToString(),
      [&](const std::string& name) -> Result<Ref<ResourceBase>> {
        return Ref<ResourceBase>(MakeRef<RecordWriter>(name, spec));
      });
}

Status InferShape(ShapeContext& c) {
  if (c.attr<std::string>("path").empty()) {
    return c.Error("path is \"\"; wanted a file's name");
  }
  return shapes::scalar(c);
}

SL_OP(RecordWriter)
    .doc(
        "The handle of a writer of a record file (see RecordReader). The file "
        "is made with the first record.")
    .output("handle: resource")
    .attr("path", AttrKind::kString, "the file")
    .attr("append", false, "keep what is in the file already")
    .attr("container", "", "container the writer lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(InferShape)
    .cpu(Launch)
    .handle()
    .rejects(
        {{.in = {},
          .attrs = {{"path", ""}},
          .message = "[RecordWriter] path is \"\"; wanted a file's name"}});

}  // namespace
}  // namespace sluice
