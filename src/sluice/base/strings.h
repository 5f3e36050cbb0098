// String building for messages: StrCat joins any mix of text and numbers, Join
// joins a container. Deliberately small: it is in every error path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sluice {

namespace strings_internal {
void AppendDouble(std::string& out, double v);

template <class T>
void AppendPiece(std::string& out, const T& v) {
  if constexpr (std::is_same_v<T, bool>) {
    out += v ? "true" : "false";
  } else if constexpr (std::is_same_v<T, char>) {
    out += v;
  } else if constexpr (std::is_integral_v<T>) {
    out += std::to_string(v);
  } else if constexpr (std::is_floating_point_v<T>) {
    AppendDouble(out, static_cast<double>(v));
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    out += std::string_view(v);
  } else {
    out += v.ToString();
  }
}
}  // namespace strings_internal

template <class... Args>
std::string StrCat(const Args&... args) {
  std::string out;
  (strings_internal::AppendPiece(out, args), ...);
  return out;
}

template <class... Args>
void StrAppend(std::string& out, const Args&... args) {
  (strings_internal::AppendPiece(out, args), ...);
}

template <class Container>
std::string Join(const Container& items, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += separator;
    first = false;
    strings_internal::AppendPiece(out, item);
  }
  return out;
}

// The text between the quotes of a C-like string literal: quotes, backslashes
// and control bytes are escaped, everything else is unchanged.
std::string EscapeString(std::string_view text);

// JSON string literal with its quotes.
std::string JsonQuote(std::string_view text);

// "1.5 KiB", "3 B": for reports.
std::string HumanBytes(int64_t bytes);

}  // namespace sluice
