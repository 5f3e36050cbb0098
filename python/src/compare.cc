// Comparison of two tensors, for tests of users and our own.
#include "compare.h"

#include <cmath>

#include "op_call.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "tensor_values.h"

namespace sluice::py {

namespace {

// The index of element k as text: "[1,2]".
std::string Place(const Shape& shape, int64_t k) {
  std::vector<std::string> parts(static_cast<size_t>(shape.rank()));
  for (int i = shape.rank() - 1; i >= 0; --i) {
    parts[static_cast<size_t>(i)] = StrCat(k % shape.dim(i));
    k /= shape.dim(i);
  }
  return StrCat("[", Join(parts, ","), "]");
}

bool IsNan(double v) { return std::isnan(v); }
bool IsNan(complex64 v) { return std::isnan(v.real()) || std::isnan(v.imag()); }

std::string Text(double v) { return StrCat(v); }
std::string Text(complex64 v) {
  return StrCat(v.real(), v.imag() < 0 ? "" : "+", v.imag(), "j");
}

// In double, whatever the types of the parts.
double Distance(double a, double b) { return std::abs(a - b); }
double Distance(complex64 a, complex64 b) {
  return std::hypot(static_cast<double>(a.real()) - b.real(),
                    static_cast<double>(a.imag()) - b.imag());
}

template <class T>
bool Close(T a, T b, const Tolerance& t) {
  if (a == b) return true;
  if (IsNan(a) || IsNan(b)) return t.equal_nan && IsNan(a) && IsNan(b);
  double allowed = t.atol + t.rtol * Distance(b, T(0));
  return std::isfinite(allowed) && Distance(a, b) <= allowed;
}

template <class T>
std::string Describe(const Array& a, const Array& b, const Tolerance& t) {
  auto elements = [](const Array& given) {
    return ValueOrThrow(CastArray(given, DTypeOf<T>::value).AsContiguous());
  };
  Array left = elements(a), right = elements(b);
  const T *x = left.data<T>(), *y = right.data<T>();
  int64_t different = 0, first = -1, count = left.num_elements();
  double largest = 0;
  for (int64_t k = 0; k < count; ++k) {
    if (Close(x[k], y[k], t)) continue;
    if (different++ == 0) first = k;
    largest = std::max(largest, Distance(x[k], y[k]));
  }
  if (different == 0) return {};
  return StrCat(different, " of ", count, " elements differ; the first, ",
                Place(a.shape(), first), ", is ", Text(x[first]), " and ",
                Text(y[first]), "; the largest difference is ", largest,
                " (rtol ", t.rtol, ", atol ", t.atol, ")");
}

}  // namespace

std::string DescribeDifference(const Array& a, const Array& b,
                               const Tolerance& t) {
  if (!(a.shape() == b.shape())) {
    return StrCat("shapes differ: ", a.TypeText(), " and ", b.TypeText());
  }
  bool complex = a.dtype() == DType::kC64 || b.dtype() == DType::kC64;
  return complex ? Describe<complex64>(a, b, t) : Describe<double>(a, b, t);
}

void BindCompare(nb::module_& m) {
  m.def(
      "describe_difference",
      [](nb::handle a, nb::handle b, double rtol, double atol, bool equal_nan) {
        auto array = [](nb::handle o, std::string_view what) {
          return IsTensor(o) ? ElementsNow(AsTensor(o).to_dense(), what)
                             : ArrayOf(o, what);
        };
        return DescribeDifference(array(a, "actual"), array(b, "expected"),
                                  {rtol, atol, equal_nan});
      },
      "actual"_a, "expected"_a, "rtol"_a, "atol"_a, "equal_nan"_a = false);
}

}  // namespace sluice::py
