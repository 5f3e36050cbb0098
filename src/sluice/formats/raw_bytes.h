// Numbers as bytes, in either byte order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace sluice {

// Converts `count` numbers of `size` bytes from the byte order of the data to
// that of this machine, or back.
inline void OrderBytes(char* data, int64_t count, int64_t size,
                       bool little_endian) {
  if (size == 1 ||
      little_endian == (std::endian::native == std::endian::little))
    return;
  for (int64_t i = 0; i < count; ++i) {
    std::reverse(data + i * size, data + (i + 1) * size);
  }
}

}  // namespace sluice
