// CRC-32C (Castagnoli), the checksum of record files, by the processor's own
// instructions where it has them.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice {

// Of `bytes` after bytes whose checksum is `before` (0: none).
uint32_t Crc32c(std::string_view bytes, uint32_t before = 0);
// The same by tables alone, for machines without instructions and for tests.
uint32_t Crc32cByTable(std::string_view bytes, uint32_t before = 0);

// As record files store it: rotated and offset, because a checksum of data that
// contains its own checksum detects fewer errors.
inline uint32_t MaskCrc(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

}  // namespace sluice
