#include "sluice/front/nan_trap.h"

#include <algorithm>
#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

namespace {

struct Range {
  int64_t bad = 0, first_bad = -1;
  double lo = INFINITY, hi = -INFINITY, value = 0;
};

Range RangeOf(const Array& array) {
  Range r;
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
        r.value = v;
      }
    }
  });
  return r;
}

std::string DescribeInput(const EagerOp& op, size_t i, const Array& array) {
  Range r = RangeOf(array);
  std::string text = StrCat(op.record().InputName(static_cast<int>(i)), " is ",
                            array.TypeText());
  if (r.lo <= r.hi) StrAppend(text, " from ", r.lo, " to ", r.hi);
  if (r.bad > 0) StrAppend(text, " with ", r.bad, " not finite");
  return text;
}

}  // namespace

Status CheckFinite(const EagerOp& op, ArrayPointers inputs,
                   std::span<const Array> outputs) {
  for (const Array& out : outputs) {
    if (!kFloats.contains(out.dtype())) continue;
    Range r = RangeOf(out);
    if (r.bad == 0) continue;
    std::vector<std::string> operands;
    for (size_t i = 0; i < inputs.size(); ++i) {
      operands.push_back(DescribeInput(op, i, *inputs[i]));
    }
    return Status(
        Code::kInvalidArgument,
        StrCat("[", op.record().name, "] element ", r.first_bad,
               " of the result is ", r.value, " (", r.bad, " of ",
               out.num_elements(), " are not finite); ", Join(operands, ", ")));
  }
  return OkStatus();
}

}  // namespace sluice
