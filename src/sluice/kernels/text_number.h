// Converts numbers to text and back. Independent of the locale; no exceptions.
// Plain functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "sluice/tensor/dtype.h"

namespace sluice {

inline bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
std::string_view StripSpaces(std::string_view text);

// `text` in quotes for a message; shortened if long.
std::string QuoteForMessage(std::string_view text);

// The types that can be read from text here: real numbers and bool.
inline constexpr DTypeSet kTextTypes = kReals | DTypeSet{DType::kBool};

// Reads a number (for bool: true, false, 1 or 0), with spaces around it
// allowed, and writes it to `to`, an element of that type. Returns "" on
// success, else what was wanted: `a number of type i32 (byte 2 is no part of
// one)`.
// REQUIRES: kTextTypes has the type.
std::string ReadNumber(std::string_view text, DType dtype, void* to);

// The shortest text that reads back as the same number, or, with precision >=
// 0, that many digits after the point.
// REQUIRES: kTextTypes has the type; precision <= 100.
std::string WriteNumber(const void* from, DType dtype, int precision);

}  // namespace sluice
