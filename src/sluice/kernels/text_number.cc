#include "sluice/kernels/text_number.h"

#include <charconv>
#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

std::string_view StripSpaces(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

std::string QuoteForMessage(std::string_view text) {
  constexpr size_t kMost = 40;
  bool cut = text.size() > kMost;
  return StrCat("\"", EscapeString(text.substr(0, kMost)),
                cut ? "...\"" : "\"");
}

namespace {

template <class T>
using Read =
    std::conditional_t<sizeof(T) == 2 && !std::is_integral_v<T>, float, T>;

// A number read into a V; *end is where it stops.
template <class V>
std::errc Parse(std::string_view text, V* value, size_t* end) {
  // from_chars does not accept a plus sign.
  size_t skip = text.size() > 1 && text[0] == '+' && text[1] != '-';
  auto [p, error] =
      std::from_chars(text.data() + skip, text.data() + text.size(), *value);
  *end = static_cast<size_t>(p - text.data());
  return error;
}

std::string ReadBool(std::string_view text, bool* to) {
  bool yes = text == "true" || text == "1";
  if (!yes && text != "false" && text != "0") {
    return "true, false, 1 or 0";
  }
  *to = yes;
  return "";
}

}  // namespace

std::string ReadNumber(std::string_view text, DType dtype, void* to) {
  std::string_view inner = StripSpaces(text);
  if (dtype == DType::kBool) return ReadBool(inner, static_cast<bool*>(to));
  std::string wanted = StrCat("a number of type ", DTypeName(dtype));
  DispatchReals(dtype, [&]<class T>() {
    Read<T> value{};
    size_t end = 0;
    std::errc error = Parse(inner, &value, &end);
    if (error == std::errc::result_out_of_range) {
      wanted += " (it does not fit)";
    } else if (error != std::errc() || end != inner.size()) {
      if (error != std::errc()) end = 0;
      StrAppend(wanted, " (byte ",
                static_cast<size_t>(inner.data() - text.data()) + end,
                " is no part of one)");
    } else {
      *static_cast<T*>(to) = T(value);
      wanted.clear();
    }
  });
  return wanted;
}

std::string WriteNumber(const void* from, DType dtype, int precision) {
  if (dtype == DType::kBool) {
    return *static_cast<const char*>(from) != 0 ? "true" : "false";
  }
  // The longest double has 309 digits before the point.
  char text[512];
  char* end = text;
  DispatchReals(dtype, [&]<class T>() {
    auto value = static_cast<Read<T>>(*static_cast<const T*>(from));
    if constexpr (std::is_integral_v<T>) {
      end = std::to_chars(text, text + sizeof text, value).ptr;
    } else if (precision >= 0) {
      end = std::to_chars(text, text + sizeof text, value,
                          std::chars_format::fixed, precision)
                .ptr;
    } else {
      end = std::to_chars(text, text + sizeof text, value).ptr;
    }
  });
  return std::string(text, end);
}

}  // namespace sluice
