// FixedLengthReader, RecordReader, TextLineReader and WholeFileReader.
#include "sluice/ops/family.h"
#include "sluice/ops/io/reader_handle.h"

namespace sluice {
namespace {

RecordFormat FixedLengthReaderFormat(const Attrs& attrs) {
  RecordFormat format;
  format.kind = RecordFormat::Kind::kFixed;
  format.record_bytes = attrs.get<int64_t>("record_bytes");
  format.header_bytes = attrs.get<int64_t>("header_bytes");
  format.footer_bytes = attrs.get<int64_t>("footer_bytes");
  return format;
}

RecordFormat RecordReaderFormat(const Attrs&) {
  RecordFormat format;
  format.kind = RecordFormat::Kind::kRecords;
  return format;
}

RecordFormat TextLineReaderFormat(const Attrs& attrs) {
  RecordFormat format;
  format.kind = RecordFormat::Kind::kLines;
  format.skip_lines = attrs.get<int64_t>("skip_lines");
  return format;
}

RecordFormat WholeFileReaderFormat(const Attrs&) {
  RecordFormat format;
  format.kind = RecordFormat::Kind::kWhole;
  return format;
}

OpDefinition& AnyReader(OpDefinition&& op, std::string_view) {
  return op.output("handle: resource")
      .attr("files", std::vector<std::string>(), kFilesDoc)
      .handle();
}

}  // namespace

SL_OP_OF(FixedLengthReader, AnyReader)
    .doc("The handle of a reader whose records are so many bytes each.")
    .attr("record_bytes", AttrKind::kInt, "bytes of a record")
    .attr("header_bytes", 0, "bytes to pass over at the beginning of each file")
    .attr("footer_bytes", 0, "bytes to leave at the end of each file")
    .attr("container", "", "container the reader lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(ReaderHandleShape<FixedLengthReaderFormat>)
    .cpu(ReaderHandleKernel<FixedLengthReaderFormat>)
    .rejects(
        {{.in = {},
          .attrs = {{"record_bytes", 0}},
          .message = "[FixedLengthReader] record_bytes is 0; wanted 1 or more"},
         {.in = {},
          .attrs = {{"record_bytes", 4}, {"header_bytes", -1}},
          .message = "[FixedLengthReader] header_bytes is -1 and footer_bytes "
                     "is 0; wanted 0 to"}});

SL_OP_OF(RecordReader, AnyReader)
    .doc(
        "The handle of a reader of record files: each record is its length as "
        "u64, a masked CRC-32C of that, the bytes and a masked CRC-32C of "
        "them.")
    .attr("container", "", "container the reader lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(ReaderHandleShape<RecordReaderFormat>)
    .cpu(ReaderHandleKernel<RecordReaderFormat>);

SL_OP_OF(TextLineReader, AnyReader)
    .doc("The handle of a reader whose records are the lines of text files.")
    .attr("skip_lines", 0, "lines to pass over at the beginning of each file")
    .attr("container", "", "container the reader lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(ReaderHandleShape<TextLineReaderFormat>)
    .cpu(ReaderHandleKernel<TextLineReaderFormat>)
    .rejects(
        {{.in = {},
          .attrs = {{"skip_lines", -1}},
          .message = "[TextLineReader] skip_lines is -1; wanted 0 or more"}});

SL_OP_OF(WholeFileReader, AnyReader)
    .doc(
        "The handle of a reader whose records are whole files; their keys are "
        "the paths.")
    .attr("container", "", "container the reader lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(ReaderHandleShape<WholeFileReaderFormat>)
    .cpu(ReaderHandleKernel<WholeFileReaderFormat>);

}  // namespace sluice
