// Compression: deflate (RFC 1951) and zlib's frame around it (RFC 1950), as
// used in PNG images. Equal bytes give equal output everywhere. Our own
// implementation, because zlib's output differs between versions, and a machine
// that only builds the core may lack it.
//
// Pure functions, safe from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

std::string Deflate(std::string_view bytes);
std::string ZlibPack(std::string_view bytes);

// The checksum of `bytes` appended to bytes with checksum `before`.
uint32_t Adler32(std::string_view bytes, uint32_t before = 1);

}  // namespace sluice
