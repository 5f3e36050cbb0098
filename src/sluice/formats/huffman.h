// The prefix codes of deflate: code lengths and codes. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sluice {

// The number of bits for each symbol, short for frequent ones; 0 for those that
// do not occur. None is longer than `max_bits`. At least two symbols get a
// code, whether they occur or not: some decoders reject a single code.
// REQUIRES: 2 <= counts.size() <= 2^max_bits.
std::vector<uint8_t> CodeLengths(std::span<const uint32_t> counts,
                                 int max_bits);

// The codes with these lengths, lowest bit first, as written to the stream.
std::vector<uint16_t> CodesOf(std::span<const uint8_t> lengths);

}  // namespace sluice
