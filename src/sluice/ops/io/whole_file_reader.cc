#include "sluice/ops/io/reader_handle.h"

namespace sluice {
namespace {

RecordFormat Format(const Attrs&) {
  RecordFormat format;
  format.kind = RecordFormat::Kind::kWhole;
  return format;
}

SL_OP(WholeFileReader)
    .doc(
        "The handle of a reader whose records are whole files; their keys are "
        "the paths.")
    .output("handle: resource")
    .attr("files", std::vector<std::string>(), kFilesDoc)

    .attr("container", "", "container the reader lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(ReaderHandleShape<Format>)
    .cpu(ReaderHandleKernel<Format>)
    .handle()
    .rejects({{.in = {{1}},
               .message = "[WholeFileReader] takes 0 inputs, got 1"}});

}  // namespace
}  // namespace sluice
