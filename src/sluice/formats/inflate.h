// Unpacking gzip data (RFC 1951 and 1952), written for data nobody vouches for:
// every length and distance is checked, nothing is read beyond the input, and
// no more is written than asked for.
//
// Ours rather than zlib, which a machine that only builds the core may lack;
// `make test` fuzzes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/base/status.h"

namespace sluice {

// True when the bytes begin as gzip data do.
bool LooksLikeGzip(std::string_view bytes);

// All members of gzip data, one after another. Errors: DataLoss, with the byte
// where it was noticed; ResourceExhausted beyond max_bytes.
Result<std::string> Gunzip(std::string_view bytes, int64_t max_bytes);

// CRC-32 as gzip has it (not CRC-32C).
uint32_t Crc32(std::string_view bytes, uint32_t before = 0);

}  // namespace sluice
