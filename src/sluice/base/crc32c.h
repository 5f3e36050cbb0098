// CRC-32C (Castagnoli), the checksum of record files, computed with the
// processor's instructions if it has them.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice {

// The checksum of `bytes` appended to bytes with checksum `before` (0: none).
uint32_t Crc32c(std::string_view bytes, uint32_t before = 0);
// The same with tables only, for machines without the instructions and for
// tests.
uint32_t Crc32cByTable(std::string_view bytes, uint32_t before = 0);

// The form stored in record files: rotated and offset, because a checksum of
// data that contains its own checksum detects fewer errors.
inline uint32_t MaskCrc(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

}  // namespace sluice
