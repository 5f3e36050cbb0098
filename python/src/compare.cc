// Two tensors held against each other, for tests of users and our own.
#include "compare.h"

#include <cmath>

#include "op_call.h"
#include "operand.h"
#include "sluice/base/strings.h"

namespace sluice::py {

namespace {

// "[1,2]" of element k.
std::string Place(const Shape& shape, int64_t k) {
  std::vector<std::string> parts(static_cast<size_t>(shape.rank()));
  for (int i = shape.rank() - 1; i >= 0; --i) {
    parts[static_cast<size_t>(i)] = StrCat(k % shape.dim(i));
    k /= shape.dim(i);
  }
  return StrCat("[", Join(parts, ","), "]");
}

Array Doubles(const Array& a) {
  Array as = a.dtype() == DType::kF64 ? a : CastArray(a, DType::kF64);
  return ValueOrThrow(as.AsContiguous());
}

bool Close(double a, double b, const Tolerance& t) {
  if (a == b) return true;
  if (std::isnan(a) || std::isnan(b)) {
    return t.equal_nan && std::isnan(a) && std::isnan(b);
  }
  return std::abs(a - b) <= t.atol + t.rtol * std::abs(b);
}

}  // namespace

std::string DescribeDifference(const Array& a, const Array& b,
                               const Tolerance& t) {
  if (!(a.shape() == b.shape())) {
    return StrCat("shapes differ: ", a.TypeText(), " and ", b.TypeText());
  }
  Array left = Doubles(a), right = Doubles(b);
  int64_t different = 0, first = -1, count = left.num_elements();
  double largest = 0;
  for (int64_t k = 0; k < count; ++k) {
    double x = left.data<double>()[k], y = right.data<double>()[k];
    if (Close(x, y, t)) continue;
    if (different++ == 0) first = k;
    largest = std::max(largest, std::abs(x - y));
  }
  if (different == 0) return {};
  return StrCat(different, " of ", count, " elements differ; the first, ",
                Place(a.shape(), first), ", is ", left.data<double>()[first],
                " and ", right.data<double>()[first],
                "; the largest difference is ", largest, " (rtol ", t.rtol,
                ", atol ", t.atol, ")");
}

void BindCompare(nb::module_& m) {
  m.def(
      "describe_difference",
      [](nb::handle a, nb::handle b, double rtol, double atol, bool equal_nan) {
        auto array = [](nb::handle o, std::string_view what) {
          return IsTensor(o) ? AsTensor(o).to_dense().array()
                             : ArrayOf(o, what);
        };
        return DescribeDifference(array(a, "actual"), array(b, "expected"),
                                  {rtol, atol, equal_nan});
      },
      "actual"_a, "expected"_a, "rtol"_a, "atol"_a, "equal_nan"_a = false);
}

}  // namespace sluice::py
