// RecordFormat: how a file is divided into records.
//
//   lines      text up to each newline, without it (and without a \r before)
//   fixed      a fixed number of bytes, between a header and a footer
//   records    u64 length, u32 checksum of it, the bytes, u32 checksum of them;
//              numbers little-endian, checksums CRC-32C and masked
//   whole      the whole file is one record
//
// Plain values and functions; a file is read by one thread at a time.
#pragma once

#include <string>

#include "sluice/base/file.h"

namespace sluice {

struct RecordFormat {
  enum class Kind : uint8_t { kLines, kFixed, kRecords, kWhole };
  Kind kind = Kind::kWhole;
  int64_t skip_lines = 0;                                        // lines
  int64_t record_bytes = 1, header_bytes = 0, footer_bytes = 0;  // fixed

  Status Check() const;
  // "lines", "fixed 4 bytes": includes all of the above.
  std::string ToString() const;

  // Seeks to the first record of a newly opened file.
  Status Start(InputFile& file) const;
  // The next record; false at the end of the file. Errors: DataLoss, with the
  // file's name and position.
  Result<bool> Next(InputFile& file, std::string* record) const;
};

// One record in the form of `records` files.
std::string FrameRecord(std::string_view bytes);

}  // namespace sluice
