#include "sluice/kernels/finite_range.h"

#include <algorithm>
#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

FiniteRange FiniteRangeOf(const Array& array) {
  FiniteRange r;
  if (!kReals.contains(array.dtype())) return r;
  Result<Array> flat = array.AsContiguous();
  if (!flat.ok()) return r;
  DispatchReals(array.dtype(), [&]<class T>() {
    const T* x = flat->template data<T>();
    for (int64_t i = 0; i < array.num_elements(); ++i) {
      auto v = static_cast<double>(x[i]);
      if (std::isfinite(v)) {
        r.lo = std::min(r.lo, v);
        r.hi = std::max(r.hi, v);
      } else if (r.bad++ == 0) {
        r.first_bad = i;
        r.first_value = v;
      }
    }
  });
  return r;
}

std::string DescribeRange(const Array& array) {
  FiniteRange r = FiniteRangeOf(array);
  std::string text = array.TypeText();
  if (r.lo <= r.hi) StrAppend(text, " from ", r.lo, " to ", r.hi);
  if (r.bad > 0) StrAppend(text, " with ", r.bad, " not finite");
  return text;
}

std::string DescribeBad(const Array& result) {
  if (!kFloats.contains(result.dtype())) return "";
  FiniteRange r = FiniteRangeOf(result);
  if (r.bad == 0) return "";
  return StrCat("element ", r.first_bad, " of the result is ", r.first_value,
                " (", r.bad, " of ", result.num_elements(), " are not finite)");
}

}  // namespace sluice
