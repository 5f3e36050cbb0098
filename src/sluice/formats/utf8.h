// UTF-8 according to the standard: no overlong encodings, no halves of
// surrogate pairs, nothing above U+10FFFF. Pure functions.
//
// Our own implementation, because the C library's conversions depend on the
// process's locale.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice {

// The number of bytes of the first character; 0 if the text starts with an
// invalid one.
size_t Utf8CharacterBytes(std::string_view text);

bool IsUtf8(std::string_view text);

// The same text with every invalid byte replaced by U+FFFD: one such byte would
// make a reader reject the whole message.
std::string ValidUtf8(std::string_view text);

// The number of characters: the columns on a terminal, except for wide scripts.
size_t Utf8Columns(std::string_view text);

// At most the first `bytes` bytes, without splitting a character.
std::string_view Utf8Prefix(std::string_view text, size_t bytes);

}  // namespace sluice
