// Decompresses deflate data, for tests of compression.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Decompresses deflate data. gzip's frame, which our decoder requires, contains
// a checksum of the expected data; any other data give the decoder's message.
std::string InflateRaw(std::string_view packed, std::string_view expected);

}  // namespace sluice
