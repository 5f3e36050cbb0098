// Text as other programs want it: valid UTF-8, and how wide it is. Pure
// functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::report {

// The same text, every byte that belongs to no character replaced by U+FFFD:
// one such byte would make a reader refuse the whole message.
std::string ValidUtf8(std::string_view text);

// Characters: what a terminal takes for columns, wide scripts apart.
size_t Utf8Length(std::string_view text);

// The first `bytes` bytes at most, no character cut in two.
std::string_view Utf8Prefix(std::string_view text, size_t bytes);

}  // namespace sluice::report
