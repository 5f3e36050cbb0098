// Prefix codes as deflate has them: how many bits each symbol gets, and which.
// Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sluice {

// Bits for each symbol, short for those that are counted often; 0 for those
// that do not occur. None is longer than `max_bits`. At least two symbols get a
// code, whether they occur or not: some decoders refuse a code of one.
// REQUIRES: 2 <= counts.size() <= 2^max_bits.
std::vector<uint8_t> CodeLengths(std::span<const uint32_t> counts,
                                 int max_bits);

// The codes that belong to these lengths, their first bit lowest, as they go
// into the stream.
std::vector<uint16_t> CodesOf(std::span<const uint8_t> lengths);

}  // namespace sluice
