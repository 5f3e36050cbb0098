#include "sluice/formats/record_format.h"

#include "sluice/base/crc32c.h"
#include "sluice/base/strings.h"

namespace sluice {

namespace {

constexpr int64_t kLengthBytes = 8, kCrcBytes = 4;

template <class T>
void AppendLittle(std::string* to, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) {
    to->push_back(static_cast<char>(value >> (8 * i)));
  }
}

template <class T>
T ReadLittle(std::string_view bytes) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value |= T{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return value;
}

Status Damaged(const InputFile& file, int64_t offset, std::string_view what) {
  return DataLoss(StrCat("\"", EscapeString(file.path()), "\" at byte ", offset,
                         ": ", what));
}

Result<bool> NextLine(InputFile& file, std::string* record) {
  SL_ASSIGN_OR_RETURN(bool any, file.ReadLine(record));
  if (any && !record->empty() && record->back() == '\r') record->pop_back();
  return any;
}

Result<bool> NextFixed(InputFile& file, const RecordFormat& format,
                       std::string* record) {
  int64_t left = file.size() - format.footer_bytes - file.offset();
  if (left <= 0) return false;
  int64_t at = file.offset();
  if (left >= format.record_bytes) {
    SL_RETURN_IF_ERROR(file.Read(format.record_bytes, record));
    if (static_cast<int64_t>(record->size()) == format.record_bytes) {
      return true;
    }
    left = static_cast<int64_t>(record->size());
  }
  return Damaged(file, at,
                 StrCat("only ", left, " bytes are left; wanted records of ",
                        format.record_bytes));
}

Result<bool> NextRecord(InputFile& file, std::string* record) {
  int64_t at = file.offset();
  std::string head;
  SL_RETURN_IF_ERROR(file.Read(kLengthBytes + kCrcBytes, &head));
  if (head.empty()) return false;
  if (head.size() < kLengthBytes + kCrcBytes) {
    return Damaged(file, at, "the file ends inside a record's length");
  }
  std::string_view length_bytes =
      std::string_view(head).substr(0, kLengthBytes);
  auto length = ReadLittle<uint64_t>(length_bytes);
  auto crc = ReadLittle<uint32_t>(std::string_view(head).substr(kLengthBytes));
  if (crc != MaskCrc(Crc32c(length_bytes))) {
    return Damaged(file, at, "the checksum of a record's length is wrong");
  }
  // A correct checksum is no proof of good intent: the length is compared with
  // the file size before memory is allocated.
  int64_t left = file.size() - file.offset() - kCrcBytes;
  if (left < 0 || length > static_cast<uint64_t>(left)) {
    return Damaged(file, at,
                   StrCat("a record of ", length,
                          " bytes goes beyond the end of the file"));
  }
  SL_RETURN_IF_ERROR(file.Read(static_cast<int64_t>(length), record));
  std::string tail;
  SL_RETURN_IF_ERROR(file.Read(kCrcBytes, &tail));
  if (record->size() != length || tail.size() != kCrcBytes) {
    return Damaged(file, at, "the file ends inside a record");
  }
  if (ReadLittle<uint32_t>(tail) != MaskCrc(Crc32c(*record))) {
    return Damaged(file, at, "the checksum of a record is wrong");
  }
  return true;
}

Result<bool> NextWhole(InputFile& file, std::string* record) {
  // An empty file is one empty record; it can only be distinguished from its
  // end by the offset, which is beyond the end once the file was read.
  if (file.offset() > file.size()) return false;
  SL_RETURN_IF_ERROR(file.Read(file.size() - file.offset(), record));
  SL_RETURN_IF_ERROR(file.Seek(file.size() + 1));
  return true;
}

}  // namespace

std::string FrameRecord(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + 16);
  AppendLittle(&out, static_cast<uint64_t>(bytes.size()));
  AppendLittle(&out, MaskCrc(Crc32c(out)));
  out.append(bytes);
  AppendLittle(&out, MaskCrc(Crc32c(bytes)));
  return out;
}

Status RecordFormat::Check() const {
  if (skip_lines < 0) {
    return InvalidArgument(
        StrCat("skip_lines is ", skip_lines, "; wanted 0 or more"));
  }
  if (record_bytes < 1) {
    return InvalidArgument(
        StrCat("record_bytes is ", record_bytes, "; wanted 1 or more"));
  }
  // Bounded so that sums of sizes and offsets cannot overflow.
  constexpr int64_t kMost = int64_t{1} << 60;
  if (header_bytes < 0 || footer_bytes < 0 || header_bytes > kMost ||
      footer_bytes > kMost) {
    return InvalidArgument(StrCat("header_bytes is ", header_bytes,
                                  " and footer_bytes is ", footer_bytes,
                                  "; wanted 0 to 2^60"));
  }
  return OkStatus();
}

std::string RecordFormat::ToString() const {
  switch (kind) {
    case Kind::kLines:
      return StrCat("lines", skip_lines ? StrCat(" after ", skip_lines) : "");
    case Kind::kFixed: {
      std::string out = StrCat("fixed ", record_bytes, " bytes");
      if (header_bytes) StrAppend(out, " after ", header_bytes);
      if (footer_bytes) StrAppend(out, " before ", footer_bytes);
      return out;
    }
    case Kind::kRecords:
      return "records";
    case Kind::kWhole:
      return "whole files";
  }
  return "";
}

Status RecordFormat::Start(InputFile& file) const {
  if (kind == Kind::kFixed && header_bytes > 0) return file.Seek(header_bytes);
  if (kind != Kind::kLines) return OkStatus();
  for (int64_t i = 0; i < skip_lines; ++i) {
    std::string line;
    SL_ASSIGN_OR_RETURN(bool any, file.ReadLine(&line));
    if (!any) break;
  }
  return OkStatus();
}

Result<bool> RecordFormat::Next(InputFile& file, std::string* record) const {
  record->clear();
  switch (kind) {
    case Kind::kLines:
      return NextLine(file, record);
    case Kind::kFixed:
      return NextFixed(file, *this, record);
    case Kind::kRecords:
      return NextRecord(file, record);
    case Kind::kWhole:
      return NextWhole(file, record);
  }
  return false;
}

}  // namespace sluice
