#include "sluice/ops/io/reader_handle.h"

namespace sluice {
namespace {

RecordFormat Format(const Attrs&) {
  RecordFormat format;
  format.kind = RecordFormat::Kind::kRecords;
  return format;
}

SL_OP(RecordReader)
    .doc(
        "The handle of a reader of record files: each record is its length as "
        "u64, a masked CRC-32C of that, the bytes and a masked CRC-32C of "
        "them.")
    .output("handle: resource")
    .attr("files", std::vector<std::string>(), kFilesDoc)

    .attr("container", "", "container the reader lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(ReaderHandleShape<Format>)
    .cpu(ReaderHandleKernel<Format>)
    .handle()
    .rejects({{.in = {{1}}, .message = "[RecordReader] takes 0 inputs, got 1"},
              {.in = {},
               .attrs = {{"files", "x"}},
               .message =
                   "[RecordReader] attribute files is \"x\" of kind string"}});

}  // namespace
}  // namespace sluice
