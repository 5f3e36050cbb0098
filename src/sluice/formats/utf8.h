// UTF-8 as the standard has it: no character written longer than need be, no
// half of a surrogate pair, none above U+10FFFF. Pure functions.
//
// Ours: the C library's conversions depend on the process's locale.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice {

// Bytes of the character the text begins with; 0 when it begins with none.
size_t Utf8CharacterBytes(std::string_view text);

bool IsUtf8(std::string_view text);

// The same text, every byte that belongs to no character replaced by U+FFFD:
// one such byte would make a reader refuse the whole message.
std::string ValidUtf8(std::string_view text);

// Characters: what a terminal takes for columns, wide scripts apart.
size_t Utf8Columns(std::string_view text);

// The first `bytes` bytes at most, no character cut in two.
std::string_view Utf8Prefix(std::string_view text, size_t bytes);

}  // namespace sluice
