// Python's begin:end:step on the first axes of an array: what StridedSlice
// shows, and where its gradient goes.
#pragma once

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/record.h"
#include "sluice/op/shape_context.h"
#include "sluice/tensor/array.h"

namespace sluice::cut_axis {

struct Cut {
  int64_t first, count;
};

// One axis of `size`: negative counts from the end, then out-of-range bounds
// are moved to the ends. REQUIRES: step != 0.
inline Cut CutAxis(int64_t size, int64_t begin, int64_t end, int64_t step) {
  auto place = [&](int64_t at) {
    if (at < 0) at = at < -size ? -1 : at + size;
    if (step > 0) return at < 0 ? int64_t{0} : at > size ? size : at;
    return at < -1 ? int64_t{-1} : at >= size ? size - 1 : at;
  };
  int64_t b = place(begin), e = place(end);
  // Unsigned, because the smallest step has no negative.
  uint64_t distance = step > 0 ? (e > b ? static_cast<uint64_t>(e - b) : 0)
                               : (b > e ? static_cast<uint64_t>(b - e) : 0);
  uint64_t stride =
      step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  auto count =
      distance == 0 ? 0 : static_cast<int64_t>((distance - 1) / stride) + 1;
  return {b, count};
}

// The shape of what the attributes begin, end and strides show of an array of
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

// What they show of x itself; false when they do not fit it.
inline bool CutView(const Array& x, const Attrs& attrs, Array* view) {
  const Ints& begin = attrs.get<Ints>("begin");
  const Ints& end = attrs.get<Ints>("end");
  const Ints& steps = attrs.get<Ints>("strides");
  if (begin.size() > static_cast<size_t>(x.rank()) ||
      end.size() != begin.size() || steps.size() != begin.size()) {
    return false;
  }
  Ints dims(x.shape().dims().begin(), x.shape().dims().end());
  Strides strides = x.strides();
  int64_t offset = 0;
  bool empty = x.num_elements() == 0;
  for (size_t i = 0; i < begin.size(); ++i) {
    if (steps[i] == 0) return false;
    Cut cut = CutAxis(dims[i], begin[i], end[i], steps[i]);
    dims[i] = cut.count;
    empty = empty || cut.count == 0;
    if (empty) continue;
    offset += cut.first * strides[i];
    // A step larger than the axis is never taken, and could overflow.
    strides[i] = cut.count == 1 ? strides[i] : strides[i] * steps[i];
  }
  Result<Shape> shape = Shape::Make(dims);
  if (!shape.ok()) return false;
  *view = empty ? Array::View(x, 0, *shape, ContiguousStrides(*shape))
                : Array::View(x, offset, *shape, strides);
  return true;
}

// For references, without help from the above: the indices of `shape` that are
// shown, axis by axis.
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

// For samples and rules.
inline Attrs Cuts(Ints begin, Ints end, Ints strides) {
  return {{"begin", begin}, {"end", end}, {"strides", strides}};
}

// The elements of `part` where those picks of Picks() lie in `y`.
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
