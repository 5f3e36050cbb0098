#include "sluice/report/histogram.h"

#include <algorithm>
#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/tensor/array.h"
#include "sluice/tensor/dispatch.h"

namespace sluice::report {

namespace {

// Twice over the elements, in order: sums do not depend on anything else.
template <class T>
void Count(const T* elements, int64_t n, Histogram* h) {
  auto value = [&](int64_t i) { return static_cast<double>(elements[i]); };
  bool first = true;
  for (int64_t i = 0; i < n; ++i) {
    double v = value(i);
    if (!std::isfinite(v)) {
      ++h->not_finite;
      continue;
    }
    h->min = first ? v : std::min(h->min, v);
    h->max = first ? v : std::max(h->max, v);
    h->sum += v;
    h->sum_squares += v * v;
    ++h->count;
    first = false;
  }
  if (h->count == 0) return;
  // Half of each: the difference of the largest doubles is no double.
  double half_width = h->max / 2 - h->min / 2;
  size_t buckets = half_width > 0 ? Histogram::kBuckets : 1;
  h->counts.assign(buckets, 0);
  auto last = static_cast<double>(buckets - 1);
  for (int64_t i = 0; i < n; ++i) {
    double v = value(i);
    if (!std::isfinite(v)) continue;
    double at = 0;
    if (half_width > 0) {
      at = std::floor((v / 2 - h->min / 2) / half_width *
                      static_cast<double>(buckets));
    }
    ++h->counts[static_cast<size_t>(std::clamp(at, 0.0, last))];
  }
  for (size_t i = 1; i < buckets; ++i) {
    double part = static_cast<double>(i) / static_cast<double>(buckets);
    h->limits.push_back(h->min + half_width * part + half_width * part);
  }
  h->limits.push_back(h->max);
}

}  // namespace

Result<Histogram> Histogram::Of(const Array& array) {
  SL_ASSIGN_OR_RETURN(Array flat, array.AsContiguous());
  Histogram h;
  int64_t n = flat.num_elements();
  bool known = DispatchReals(flat.dtype(), [&]<class T>() {
    Count(static_cast<const T*>(flat.raw()), n, &h);
  });
  if (!known && flat.dtype() == DType::kBool) {
    known = true;
    Count(static_cast<const bool*>(flat.raw()), n, &h);
  }
  if (!known) {
    return InvalidArgument(
        StrCat("a histogram of ", flat.TypeText(), "; wanted real numbers"));
  }
  return h;
}

}  // namespace sluice::report
