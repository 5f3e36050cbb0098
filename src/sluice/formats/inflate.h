// Decompresses gzip data (RFC 1951 and 1952) from untrusted sources: every
// length and distance is checked, nothing is read beyond the input, and no more
// is written than requested.
//
// Our own implementation, because a machine that only builds the core may lack
// zlib; `make test` fuzzes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/base/status.h"

namespace sluice {

// True if the bytes start like gzip data.
bool LooksLikeGzip(std::string_view bytes);

// All members of gzip data, one after another. Errors: DataLoss, with the byte
// of the error; ResourceExhausted beyond max_bytes.
Result<std::string> Gunzip(std::string_view bytes, int64_t max_bytes);

// CRC-32 as in gzip (not CRC-32C).
uint32_t Crc32(std::string_view bytes, uint32_t before = 0);

}  // namespace sluice
