#include "sluice/eager/literal.h"

#include <cmath>
#include <limits>
#include <utility>

#include "sluice/base/strings.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

namespace front_internal {

void ThrowRagged(size_t row, size_t got, size_t wanted) {
  throw Error(
      InvalidArgument(StrCat("[Const] row ", row, " has ", got,
                             " elements; wanted ", wanted, " as row 0")));
}

}  // namespace front_internal

namespace {

template <class To>
bool HoldsWhole(double v) {
  // The bounds are powers of two (or zero), exact as doubles.
  double low = static_cast<double>(std::numeric_limits<To>::min());
  double end = std::ldexp(1.0, std::numeric_limits<To>::digits);
  return v == std::trunc(v) && v >= low && v < end;
}

// False when `To` cannot hold the value. Floating types round.
template <class From, class To>
bool Convert(const From& v, To* out) {
  constexpr bool from_float = std::is_floating_point_v<From> ||
                              std::is_same_v<From, f16> ||
                              std::is_same_v<From, bf16>;
  constexpr bool to_float = std::is_floating_point_v<To> ||
                            std::is_same_v<To, f16> || std::is_same_v<To, bf16>;
  if constexpr (std::is_same_v<From, To>) {
    *out = v;
    return true;
  } else if constexpr (std::is_same_v<From, std::string> ||
                       std::is_same_v<To, std::string> ||
                       std::is_same_v<From, bool> || std::is_same_v<To, bool> ||
                       std::is_same_v<From, complex64>) {
    return false;
  } else if constexpr (std::is_same_v<To, complex64>) {
    *out = complex64(static_cast<float>(v));
    return true;
  } else if constexpr (to_float) {
    if constexpr (std::is_floating_point_v<To>) {
      *out = static_cast<To>(v);
    } else {
      *out = To(static_cast<float>(v));
    }
    return true;
  } else if constexpr (from_float) {
    if (!HoldsWhole<To>(static_cast<double>(v))) return false;
    *out = static_cast<To>(static_cast<double>(v));
    return true;
  } else {
    *out = static_cast<To>(v);
    return std::in_range<To>(v);
  }
}

}  // namespace

Result<Array> Literal::As(DType dtype) const {
  if (!value_) return InvalidArgument("the array given is empty");
  if (value_.dtype() == dtype) return value_;
  bool fits = !own_type_;
  Array out;
  if (fits && IsPlainData(dtype)) {
    SL_ASSIGN_OR_RETURN(out, Array::Make(dtype, value_.shape()));
    DispatchAll(value_.dtype(), [&]<class From>() {
      DispatchAll(dtype, [&]<class To>() {
        const From* in = value_.data<From>();
        for (int64_t i = 0; i < value_.num_elements() && fits; ++i) {
          fits = Convert(in[i], out.mutable_data<To>() + i);
        }
      });
    });
    if (fits) return out;
  }
  return InvalidArgument(StrCat("the value ", value_.ToString(8), " of type ",
                                DTypeName(value_.dtype()), " is no ",
                                DTypeName(dtype)));
}

}  // namespace sluice
