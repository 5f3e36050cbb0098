// Python's begin:end:step on the first axes of an array, as a view.
//
// Plain functions; any thread.
#pragma once

#include "sluice/kernels/reference.h"
#include "sluice/op/attr.h"
#include "sluice/op/kernel_context.h"
#include "sluice/tensor/array.h"

namespace sluice::cut_axis {

struct Cut {
  int64_t first, count;
};

// One axis of `size`: negative bounds count from the end, then out-of-range
// bounds are clamped. REQUIRES: step != 0.
inline Cut CutAxis(int64_t size, int64_t begin, int64_t end, int64_t step) {
  auto place = [&](int64_t at) {
    if (at < 0) at = at < -size ? -1 : at + size;
    if (step > 0) return at < 0 ? int64_t{0} : at > size ? size : at;
    return at < -1 ? int64_t{-1} : at >= size ? size - 1 : at;
  };
  int64_t b = place(begin), e = place(end);
  // Unsigned, because the smallest step has no negation.
  uint64_t distance = step > 0 ? (e > b ? static_cast<uint64_t>(e - b) : 0)
                               : (b > e ? static_cast<uint64_t>(b - e) : 0);
  uint64_t stride =
      step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  auto count =
      distance == 0 ? 0 : static_cast<int64_t>((distance - 1) / stride) + 1;
  return {b, count};
}

// The view of x selected by the attributes begin, end and strides; false if
// they do not fit x.
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

// These values as attributes.
inline Attrs Cuts(Ints begin, Ints end, Ints strides) {
  return {{"begin", begin}, {"end", end}, {"strides", strides}};
}

}  // namespace sluice::cut_axis

namespace sluice::slice_axis {

// One axis, with bounds that come as tensors, as attributes for CutView.
inline Attrs CutsOf(int rank, const Attrs& attrs, int64_t begin, int64_t end) {
  int64_t axis = attrs.get<int64_t>("axis");
  auto at = static_cast<size_t>(axis < 0 ? axis + rank : axis);
  Ints begins(at, 0), ends(at, INT64_MAX), steps(at, 1);
  begins.push_back(begin);
  ends.push_back(end);
  steps.push_back(attrs.get<int64_t>("step"));
  return cut_axis::Cuts(begins, ends, steps);
}

inline Attrs CutsOf(int rank, const KernelContext& ctx, int first) {
  return CutsOf(rank, ctx.attrs(), *ctx.in(first).data<int64_t>(),
                *ctx.in(first + 1).data<int64_t>());
}

}  // namespace sluice::slice_axis
