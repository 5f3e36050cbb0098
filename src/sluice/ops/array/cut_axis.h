// Python's begin:end:step on the first axes of an array: the elements of
// StridedSlice, and the target of its gradient.
#pragma once

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/cut_view.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/record.h"
#include "sluice/op/shape_context.h"
#include "sluice/tensor/array.h"

namespace sluice::cut_axis {

// The shape of a view with the attributes begin, end and strides of an array of
// shape x, which messages call `name`.
inline Result<PartialShape> CutShape(const ShapeContext& c,
                                     const PartialShape& x,
                                     std::string_view name) {
  const Ints& begin = c.attr<Ints>("begin");
  const Ints& end = c.attr<Ints>("end");
  const Ints& strides = c.attr<Ints>("strides");
  if (begin.size() != end.size() || begin.size() != strides.size() ||
      (x.rank_known() && begin.size() > static_cast<size_t>(x.rank()))) {
    return c.Error(
        StrCat(name, ", begin, end and strides have ", begin.size(), ", ",
               end.size(), " and ", strides.size(),
               " entries; wanted equally many, at most one per axis"));
  }
  for (size_t i = 0; i < strides.size(); ++i) {
    if (strides[i] == 0) {
      return c.Error(StrCat("strides[", i, "] is 0; wanted a step"));
    }
  }
  PartialShape out = x;
  if (!x.rank_known()) return out;
  for (size_t i = 0; i < begin.size(); ++i) {
    int axis = static_cast<int>(i);
    out.set_dim(axis,
                x[axis] < 0
                    ? kUnknownDim
                    : CutAxis(x[axis], begin[i], end[i], strides[i]).count);
  }
  return out;
}

// Rows of contiguous memory that follow each other are contiguous.
inline ViewOrder OrderOfCut(const Attrs& attrs) {
  const Ints& begin = attrs.get<Ints>("begin");
  const Ints& end = attrs.get<Ints>("end");
  const Ints& strides = attrs.get<Ints>("strides");
  for (size_t i = 0; i < begin.size(); ++i) {
    bool whole = begin[i] == 0 && end[i] == INT64_MAX;
    if (strides[i] != 1 || (i > 0 && !whole)) return ViewOrder::kChanges;
  }
  return ViewOrder::kKeeps;
}

// For references, independent of the above: the selected indices of `shape`,
// axis by axis.
inline std::vector<Ints> Picks(const Shape& shape, const Attrs& attrs) {
  const Ints& begin = attrs.get<Ints>("begin");
  const Ints& end = attrs.get<Ints>("end");
  const Ints& steps = attrs.get<Ints>("strides");
  std::vector<Ints> picks;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    auto i = static_cast<size_t>(axis);
    int64_t n = shape.dim(axis);
    Ints pick;
    if (i >= begin.size()) {
      for (int64_t k = 0; k < n; ++k) pick.push_back(k);
    } else {
      int64_t b = begin[i] < 0 ? begin[i] + n : begin[i];
      int64_t e = end[i] < 0 ? end[i] + n : end[i];
      if (steps[i] > 0) {
        for (int64_t k = std::max<int64_t>(b, 0); k < e && k < n;
             k += steps[i]) {
          pick.push_back(k);
        }
      } else {
        for (int64_t k = std::min(b, n - 1); k > e && k >= 0; k += steps[i]) {
          pick.push_back(k);
        }
      }
    }
    picks.push_back(pick);
  }
  return picks;
}

// Puts the elements of `part` at the positions of Picks() in `y`.
inline void PutAt(const std::vector<Ints>& picks, const RefArray& part,
                  RefArray* y) {
  ref::ForEach(part.shape, [&](const Ints& index) {
    Ints at = index;
    for (size_t i = 0; i < at.size(); ++i) {
      at[i] = picks[i][static_cast<size_t>(at[i])];
    }
    y->v[static_cast<size_t>(ref::Flat(y->shape, at))] = ref::At(part, index);
  });
}

}  // namespace sluice::cut_axis
