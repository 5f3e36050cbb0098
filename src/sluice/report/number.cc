#include "sluice/report/number.h"

#include <cmath>
#include <cstdio>

#include "sluice/base/strings.h"
#include "sluice/tensor/array.h"
#include "sluice/tensor/dispatch.h"

namespace sluice::report {

Result<double> NumberOf(const Array& array) {
  double value = 0;
  bool known =
      array.num_elements() == 1 && DispatchReals(array.dtype(), [&]<class T>() {
        value = static_cast<double>(*static_cast<const T*>(array.raw()));
      });
  if (!known && array.num_elements() == 1 && array.dtype() == DType::kBool) {
    known = true;
    value = *array.data<bool>();
  }
  if (known) return value;
  return InvalidArgument(
      StrCat("the tensor is ", array.TypeText(), "; wanted one real number"));
}

std::string ShortNumber(double value, int digits) {
  if (std::isnan(value)) return "nan";  // never "-nan"
  char text[64];
  // Large numbers stay whole: 1.234e+04 is harder to read than 12340.
  double size = std::fabs(value);
  bool whole = size >= std::pow(10, digits) && size < 1e9;
  if (whole) {
    std::snprintf(text, sizeof text, "%.0f", value);
  } else {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
  }
  return text;
}

std::string ShortCount(double value) {
  if (!std::isfinite(value)) return ShortNumber(value);
  static constexpr const char* kLetters[] = {"", "k", "M", "G", "T"};
  size_t letter = 0;
  // 999.95 would be shown as 1000.0.
  while (std::fabs(value) >= 999.5 && letter + 1 < std::size(kLetters)) {
    value /= 1000;
    ++letter;
  }
  char text[64];
  bool whole = letter == 0 && value == std::floor(value);
  std::snprintf(text, sizeof text,
                whole || std::fabs(value) >= 99.95 ? "%.0f%s"
                : std::fabs(value) >= 0.095        ? "%.1f%s"
                                                   : "%.2g%s",
                value, kLetters[letter]);
  return text;
}

std::string ClockTime(double seconds) {
  // Beyond a century nothing is known, as with infinities and NaN.
  if (!(seconds < 3.2e9)) return "?";
  auto s = static_cast<long long>(seconds < 0 ? 0 : std::floor(seconds));
  char text[64];
  if (s < 3600) {
    std::snprintf(text, sizeof text, "%lld:%02lld", s / 60, s % 60);
  } else if (s < 86400) {
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", s / 3600,
                  s / 60 % 60, s % 60);
  } else {
    std::snprintf(text, sizeof text, "%lldd %02lld:%02lld:%02lld", s / 86400,
                  s / 3600 % 24, s / 60 % 60, s % 60);
  }
  return text;
}

}  // namespace sluice::report
