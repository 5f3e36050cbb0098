// Shared by EmbeddingBag and its gradient: bag b contains the indices from
// offsets[b] up to offsets[b + 1], the last one all remaining ones.
#pragma once

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/labels.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice::bags {

// Input i holds offsets that begin at 0, never fall and end within `count`.
inline Status CheckOffsets(const KernelContext& ctx, int i, int64_t count) {
  const Array& offsets = ctx.in(i);
  int64_t before = 0;
  for (int64_t b = 0; b < offsets.num_elements(); ++b) {
    int64_t at = LabelAt(offsets, b);
    if (at < before || at > count || (b == 0 && at != 0)) {
      int64_t last = b == 0 ? 0 : count;
      return ctx.Error(StrCat("offsets[", b, "] is ", at, "; wanted ", before,
                              " <= offset <= ", last));
    }
    before = at;
  }
  if (offsets.num_elements() == 0 && count > 0) {
    return ctx.Error(
        StrCat("offsets are none; wanted a bag for ", count, " indices"));
  }
  return OkStatus();
}

inline int64_t Begin(const Array& offsets, int64_t bag) {
  return LabelAt(offsets, bag);
}
inline int64_t End(const Array& offsets, int64_t bag, int64_t count) {
  return bag + 1 < offsets.num_elements() ? LabelAt(offsets, bag + 1) : count;
}

// The number of rows of a table, as a scalar, for gradient rules.
inline GradVar RowCount(GradContext& g, GradVar table) {
  if (table.rank() > 0 && table.shape()[0] >= 0) {
    return g.constant(Array::Scalar<int64_t>(table.shape()[0]));
  }
  GradVar first = g.call("Slice", {g.call("Shape", {table})},
                         {{"begin", Ints{0}}, {"size", Ints{1}}});
  return g.call("Reshape", {first, g.ints({})});
}

// The bag of every index, for references.
inline std::vector<size_t> BagOf(const RefArray& offsets, size_t count) {
  std::vector<size_t> bag(count);
  for (size_t k = 0; k < count; ++k) {
    for (size_t b = 0; b < offsets.v.size(); ++b) {
      if (offsets.v[b] <= static_cast<double>(k)) bag[k] = b;
    }
  }
  return bag;
}

}  // namespace sluice::bags
