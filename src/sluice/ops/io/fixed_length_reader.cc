#include "sluice/ops/io/reader_handle.h"

namespace sluice {
namespace {

RecordFormat Format(const Attrs& attrs) {
  RecordFormat format;
  format.kind = RecordFormat::Kind::kFixed;
  format.record_bytes = attrs.get<int64_t>("record_bytes");
  format.header_bytes = attrs.get<int64_t>("header_bytes");
  format.footer_bytes = attrs.get<int64_t>("footer_bytes");
  return format;
}

SL_OP(FixedLengthReader)
    .doc("The handle of a reader whose records are so many bytes each.")
    .output("handle: resource")
    .attr("files", std::vector<std::string>(), kFilesDoc)
    .attr("record_bytes", AttrKind::kInt, "bytes of a record")
    .attr("header_bytes", 0, "bytes to pass over at the beginning of each file")
    .attr("footer_bytes", 0, "bytes to leave at the end of each file")
    .attr("container", "", "container the reader lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(ReaderHandleShape<Format>)
    .cpu(ReaderHandleKernel<Format>)
    .handle()
    .rejects(
        {{.in = {},
          .attrs = {{"record_bytes", 0}},
          .message = "[FixedLengthReader] record_bytes is 0; wanted 1 or more"},
         {.in = {},
          .attrs = {{"record_bytes", 4}, {"header_bytes", -1}},
          .message = "[FixedLengthReader] header_bytes is -1 and footer_bytes "
                     "is 0; wanted 0 to"},
         {.in = {},
          .message = "[FixedLengthReader] attribute record_bytes is missing"}});

}  // namespace
}  // namespace sluice
