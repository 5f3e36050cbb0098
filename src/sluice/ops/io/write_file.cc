#include "sluice/base/file.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  return c.WantRank(1, 0);
}

Status Launch(KernelContext& ctx) {
  Status status =
      WriteFileBytes(*ctx.in(0).data<std::string>(),
                     *ctx.in(1).data<std::string>(), ctx.attr<bool>("append"));
  return status.ok() ? status : ctx.Error(status.code(), status.message());
}

Array Text(const char* text) { return Array::Scalar<std::string>(text); }

}  // namespace

SL_OP(WriteFile)
    .doc("Writes bytes to a file, which is made or made empty before.")
    .input("path: string")
    .input("contents: string")
    .attr("append", false, "Keep what is in the file and write behind it.")
    .shape(Infer)
    .cpu(Launch)
    .global_effect("files")
    .samples({{.in = {Text("/dev/null"), Text("abc")}},
              {.in = {Text("/dev/null"), Text("")},
               .attrs = {{"append", true}}}})
    .rejects({{.in = {Text("/no/such/folder/file"), Text("abc")},
               .message = "[WriteFile] cannot write \"/no/such/folder/file\": "
                          "No such file or directory"},
              {.in = {Text("/dev"), Text("abc")},
               .message = "[WriteFile] cannot write \"/dev\": it is a "
                          "directory"},
              {.in = {Array::Vector<std::string>({"/dev/null"}), Text("abc")},
               .message = "[WriteFile] path is string[1]; wanted rank 0"}});

}  // namespace sluice
