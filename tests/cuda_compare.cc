#include "tests/cuda_compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sluice/base/strings.h"
#include "sluice/tensor/dispatch.h"
#include "tests/sweep_cases.h"

namespace sluice {

namespace {

// Both devices may be off by what the record states, one up, one down.
constexpr double kDevices = 2;

template <class T>
double Number(T v) {
  return static_cast<double>(v);
}

template <class T>
bool SameBits(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, std::string>) {
    return a == b;
  } else if constexpr (std::is_same_v<T, complex64>) {
    return SameBits(a.real(), b.real()) && SameBits(a.imag(), b.imag());
  } else if constexpr (std::is_integral_v<T>) {
    return a == b;
  } else {
    if (Number(a) != Number(a)) return Number(b) != Number(b);
    return std::memcmp(&a, &b, sizeof a) == 0;
  }
}

// The difference by what is allowed: more than 1 is too much.
template <class T>
double Excess(const OpRecord& op, const T& got, const T& want) {
  if (SameBits(got, want)) return 0;
  constexpr double kInfinite = HUGE_VAL;
  if constexpr (std::is_same_v<T, std::string>) {
    return kInfinite;
  } else if constexpr (std::is_same_v<T, complex64>) {
    // A sum of complex numbers is as exact as its larger part.
    double size = std::abs(want);
    double apart =
        std::abs(std::complex<double>(got) - std::complex<double>(want));
    double allowed = kDevices * AllowedError(op, DType::kC64, size);
    return std::isfinite(apart) && allowed > 0 ? apart / allowed : kInfinite;
  } else if constexpr (std::is_integral_v<T>) {
    return kInfinite;
  } else {
    double a = Number(got), b = Number(want);
    if (a == b) return 0;
    if (!std::isfinite(a) || !std::isfinite(b)) return kInfinite;
    double allowed = kDevices * AllowedError(op, DTypeOf<T>::value, b);
    return allowed > 0 ? std::fabs(a - b) / allowed : kInfinite;
  }
}

template <class T>
std::string TextOf(const T& v) {
  if constexpr (std::is_same_v<T, std::string>) {
    return v;
  } else if constexpr (std::is_same_v<T, complex64>) {
    return StrCat(v.real(), "+", v.imag(), "i");
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(v);
  } else {
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", Number(v));
    return text;
  }
}

}  // namespace

DeviceDifference CompareDevices(const OpRecord& op, const Array& got,
                                const Array& want, bool exact) {
  DeviceDifference found;
  if (got.dtype() != want.dtype() || !(got.shape() == want.shape())) {
    found.equal = false;
    found.worst = HUGE_VAL;
    found.text = StrCat("is ", got.TypeText(), "; wanted ", want.TypeText());
    return found;
  }
  Array a = *got.AsContiguous(), b = *want.AsContiguous();
  DispatchAll(a.dtype(), [&]<class T>() {
    int64_t differ = 0, worst_at = -1;
    double worst = -1;
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      const T &x = a.data<T>()[i], &y = b.data<T>()[i];
      if (SameBits(x, y)) continue;
      double excess = Excess(op, x, y);
      if (!exact && excess <= 1) continue;
      ++differ;
      if (excess > worst) worst = excess, worst_at = i;
    }
    if (differ == 0) return;
    found.equal = false;
    found.worst = std::max(worst, 0.0);
    found.text = StrCat(differ, " of ", a.num_elements(), " elements differ");
    StrAppend(found.text, worst <= 1 ? " within the op's bound" : "",
              ", most element ", worst_at, ": is ",
              TextOf<T>(a.data<T>()[worst_at]), "; wanted ",
              TextOf<T>(b.data<T>()[worst_at]));
    if (std::isfinite(worst)) {
      StrAppend(found.text, " (", worst, " of what is allowed)");
    }
  });
  return found;
}

}  // namespace sluice
