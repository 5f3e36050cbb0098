// Unpacking deflate data, for tests of what packs them.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// What deflate data stand for. gzip's frame, which our decoder wants, holds a
// checksum of what is expected; anything else gives the decoder's message.
std::string InflateRaw(std::string_view packed, std::string_view expected);

}  // namespace sluice
