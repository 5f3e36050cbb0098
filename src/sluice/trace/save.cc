#include "sluice/trace/save.h"

#include <charconv>
#include <cmath>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr Unit kUnits[] = {
    {"", 1},         {"B", 1},        {"KB", 1e3},     {"MB", 1e6},
    {"GB", 1e9},     {"TB", 1e12},    {"KiB", 0x1p10}, {"MiB", 0x1p20},
    {"GiB", 0x1p30}, {"TiB", 0x1p40},
};

// -1: not a size.
int64_t BytesOf(std::string_view text) {
  double number = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return -1;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  while (text.starts_with(' ')) text.remove_prefix(1);
  for (const Unit& unit : kUnits) {
    double bytes = number * unit.bytes;
    if (text == unit.name) {
      return bytes >= 0 && bytes < 0x1p62 ? static_cast<int64_t>(bytes) : -1;
    }
  }
  return -1;
}

}  // namespace

Save budget(int64_t bytes) {
  Save save("budget");
  save.bytes_ = bytes;
  save.text_ = StrCat(bytes);
  return save;
}

Save budget(std::string_view bytes) {
  Save save("budget");
  save.bytes_ = BytesOf(bytes);
  save.text_ = StrCat("\"", bytes, "\"");
  return save;
}

Save Save::Host(int64_t above) {
  Save save("host");
  save.bytes_ = above;
  return save;
}

std::string Save::Wrong() const {
  if (how_ == "budget" && !text_.empty()) {
    if (bytes_ > 0) return "";
    return StrCat("save is a budget of ", text_,
                  "; wanted a number of bytes above 0, such as \"256MiB\"");
  }
  if (how_ == "device" || how_ == "host" || how_ == "recompute") return "";
  return StrCat("save is \"", how_,
                "\"; wanted \"device\", \"host\", \"recompute\" or "
                "budget(bytes)");
}

}  // namespace sluice
