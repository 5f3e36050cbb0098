#include <algorithm>
#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/tensor/dispatch.h"
#include "tests/sweep_cases.h"

namespace sluice {

namespace {

struct Precision {
  int bits;          // of the mantissa, without the hidden one
  int min_exponent;  // of normal numbers
};
Precision PrecisionOf(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return {52, -1022};
    case DType::kF16:
      return {10, -14};
    case DType::kBF16:
      return {7, -126};
    default:
      return {23, -126};
  }
}

}  // namespace

double AllowedError(const OpRecord& op, DType dtype, double want) {
  Precision p = PrecisionOf(dtype);
  int exponent = p.min_exponent;
  if (want != 0) exponent = std::max(exponent, std::ilogb(want));
  double ulp = std::ldexp(1.0, exponent - p.bits);
  double ulps = op.max_ulp;
  // The reference is a double itself, and textbook complex division rounds
  // several times.
  if (dtype == DType::kF64 && ulps > 0) ulps += 2;
  if (dtype == DType::kC64) ulps += 3;
  if (sizeof(uint16_t) == static_cast<size_t>(DTypeSize(dtype)) &&
      (ulps > 0 || op.tolerance > 0)) {
    ulps = std::max(ulps, 1.0);
  }
  double relative = op.tolerance * std::ldexp(1.0, 23 - p.bits);
  return ulps * ulp + relative * std::max(1.0, std::fabs(want));
}

namespace {

// The reference's number as the type would round it.
double Rounded(DType dtype, double v) {
  switch (dtype) {
    case DType::kF64:
      return v;
    case DType::kF16:
      return f16(static_cast<float>(v));
    case DType::kBF16:
      return bf16(static_cast<float>(v));
    default:
      return static_cast<float>(v);
  }
}

bool FloatMatches(const OpRecord& op, DType dtype, double got, double want) {
  double rounded = Rounded(dtype, want);
  if (std::isnan(want) || std::isnan(got)) {
    return std::isnan(want) && std::isnan(got);
  }
  if (got == rounded) return true;
  if (std::isinf(rounded) || std::isinf(got)) return false;
  return std::fabs(got - want) <= AllowedError(op, dtype, want) ||
         std::fabs(got - rounded) <= AllowedError(op, dtype, want);
}

template <class T>
bool Matches(const OpRecord& op, const T& got, double want) {
  if constexpr (std::is_same_v<T, std::string>) {
    return std::atof(got.c_str()) == want;
  } else if constexpr (std::is_same_v<T, bool>) {
    return got == (want != 0);
  } else if constexpr (std::is_same_v<T, complex64>) {
    return FloatMatches(op, DType::kC64, got.real(), want) &&
           (got.imag() == 0 || std::isnan(want));
  } else if constexpr (std::is_integral_v<T>) {
    if (static_cast<double>(got) == want) return true;
    if (!(std::fabs(want) < 0x1p63)) return false;
    return got == static_cast<T>(static_cast<int64_t>(want));  // wrapped
  } else {
    return FloatMatches(op, DTypeOf<T>::value, static_cast<double>(got), want);
  }
}

}  // namespace

std::string Differences(const OpRecord& op, const Array& got,
                        const RefArray& want) {
  if (!(got.shape() == want.shape)) {
    return StrCat("shape is ", got.shape(), "; wanted ", want.shape);
  }
  Array row = *got.AsContiguous();
  RefArray have = ToRef(row);
  std::string out;
  DispatchAll(row.dtype(), [&]<class T>() {
    for (size_t i = 0; i < want.v.size() && out.empty(); ++i) {
      if (Matches<T>(op, row.data<T>()[i], want.v[i])) continue;
      out = StrCat("element ", i, " is ", have.v[i], "; wanted ", want.v[i]);
    }
  });
  return out;
}

}  // namespace sluice
