#include "sluice/ops/io/reader_handle.h"

namespace sluice {
namespace {

RecordFormat Format(const Attrs& attrs) {
  RecordFormat format;
  format.kind = RecordFormat::Kind::kLines;
  format.skip_lines = attrs.get<int64_t>("skip_lines");
  return format;
}

SL_OP(TextLineReader)
    .doc("The handle of a reader whose records are the lines of text files.")
    .output("handle: resource")
    .attr("files", std::vector<std::string>(), kFilesDoc)
    .attr("skip_lines", 0, "lines to pass over at the beginning of each file")
    .attr("container", "", "container the reader lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(ReaderHandleShape<Format>)
    .cpu(ReaderHandleKernel<Format>)
    .handle()
    .rejects(
        {{.in = {},
          .attrs = {{"skip_lines", -1}},
          .message = "[TextLineReader] skip_lines is -1; wanted 0 or more"},
         {.in = {{1}}, .message = "[TextLineReader] takes 0 inputs, got 1"}});

}  // namespace
}  // namespace sluice
