// Packing bytes: deflate (RFC 1951) and zlib's frame around it (RFC 1950), as
// PNG pictures hold it. Equal bytes give equal output everywhere.
// Ours rather than zlib, whose output differs between versions and which a
// machine that only builds the core may lack.
//
// Pure functions, safe from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

std::string Deflate(std::string_view bytes);
std::string ZlibPack(std::string_view bytes);

// Of `bytes` after bytes whose checksum is `before`.
uint32_t Adler32(std::string_view bytes, uint32_t before = 1);

}  // namespace sluice
