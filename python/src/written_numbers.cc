#include "written_numbers.h"

#include <cmath>

#include "dtype.h"
#include "errors.h"
#include "sluice/base/strings.h"
#include "sluice/eager/operators.h"
#include "sluice/ops.h"

namespace sluice::py {

namespace {

// Bounds of an integer type: powers of two, hence exact.
struct Bounds {
  double low, end;  // end: the first number that does not fit
};
Bounds BoundsOf(DType type, Negatives negatives) {
  int bits = static_cast<int>(DTypeSize(type)) * 8;
  if (IsSigned(type)) return {-std::exp2(bits - 1), std::exp2(bits - 1)};
  double end = std::exp2(bits);
  return {negatives == Negatives::kWrap ? 1 - end : 0, end};
}

template <class T>
void CheckElements(const Array& flat, DType to, std::string_view what,
                   Negatives negatives) {
  const Bounds bounds = BoundsOf(to, negatives);
  for (int64_t i = 0; i < flat.num_elements(); ++i) {
    T value = flat.data<T>()[i];
    double whole = std::trunc(static_cast<double>(value));
    if (!std::isfinite(whole)) {
      ThrowValueError(
          StrCat(what, " holds ", value, ", which is no ", PythonName(to)));
    }
    // 64-bit integers near their limits are not exact as doubles.
    bool inside = whole >= bounds.low && whole < bounds.end;
    if constexpr (std::is_integral_v<T>) {
      inside = inside || (DTypeSize(to) == 8 && value > 0 &&
                          (!IsSigned(to) || std::is_signed_v<T>));
    }
    if (inside) continue;
    ThrowValueError(StrCat(what, " holds ", value, ", which is too large for ",
                           PythonName(to)));
  }
}

}  // namespace

void CheckReal(const Array& given, DType to) {
  if (given.dtype() != DType::kC64 || to == DType::kC64) return;
  if (to == DType::kBool) return;
  Array flat = ValueOrThrow(given.AsContiguous());
  for (int64_t i = 0; i < flat.num_elements(); ++i) {
    complex64 v = flat.data<complex64>()[i];
    if (v.imag() == 0) continue;
    ThrowTypeError(StrCat("the complex number ", v.real(),
                          v.imag() < 0 ? "" : "+", v.imag(), "j as ",
                          PythonName(to),
                          " would lose its imaginary part; wanted complex64, "
                          "or its real part"));
  }
}

void CheckWritten(const Array& given, DType to, std::string_view what,
                  Negatives negatives) {
  CheckReal(given, to);
  if (!IsInteger(to)) return;
  Array flat = ValueOrThrow(given.AsContiguous());
  switch (given.dtype()) {
    case DType::kF64:
      return CheckElements<double>(flat, to, what, negatives);
    case DType::kI64:
      return CheckElements<int64_t>(flat, to, what, negatives);
    case DType::kU64:
      return CheckElements<uint64_t>(flat, to, what, negatives);
    default:
      return;
  }
}

void CheckWritten(const Tensor& given, DType to, std::string_view what) {
  DType from = given.dtype();
  if (from == DType::kC64 && to != DType::kC64 && to != DType::kBool) {
    ThrowTypeError(StrCat(what, " is ", PythonName(from), "; wanted ",
                          PythonName(to), ", or its real part"));
  }
  if (!IsInteger(to) || !IsFloating(from)) return;
  if (given.symbolic()) {
    const Bounds bounds = BoundsOf(to, Negatives::kWrap);
    Tensor number = cast(given, DType::kF64);
    assert_that(logical_and(number >= bounds.low, number < bounds.end), {given},
                {.message = StrCat(what, " holds a number that is no ",
                                   PythonName(to))});
    return;
  }
  CheckWritten(cast(given.detach(), DType::kF64).array(), to, what,
               Negatives::kWrap);
}

}  // namespace sluice::py
