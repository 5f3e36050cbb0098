// The division of an array into kept and reduced axes: the loops of a
// reduction, on the host and on other devices.
//
// Plain values.
#pragma once

#include "sluice/op/attr.h"
#include "sluice/tensor/shape.h"

namespace sluice {

// The axes named by an attribute; an empty one means all.
inline uint32_t NamedAxes(const AttrValue& axes, int rank) {
  const auto& list = axes.get<std::vector<int64_t>>();
  if (list.empty()) return (1u << rank) - 1;
  uint32_t mask = 0;
  for (int64_t a : list) mask |= 1u << (a < 0 ? a + rank : a);
  return mask;
}

// The axes of attribute "axes". For ops without it: the axes of x that y lacks,
// aligned at the end, or has with another size.
inline uint32_t ReducedAxes(const Attrs& attrs, const Shape& x,
                            const Shape& y) {
  if (const AttrValue* axes = attrs.find("axes")) {
    return NamedAxes(*axes, x.rank());
  }
  uint32_t mask = 0;
  for (int i = 0, lead = x.rank() - y.rank(); i < x.rank(); ++i) {
    if (i < lead || x.dim(i) != y.dim(i - lead)) mask |= 1u << i;
  }
  return mask;
}

// A nest of loops over some axes, addressed by one linear index.
struct ReduceNest {
  int rank = 0;
  int64_t dims[kMaxRank] = {}, steps[kMaxRank] = {};
  int64_t count = 1;

  // Adds an axis outside of those added so far; `joins`: it is contiguous with
  // the last one.
  void Add(int64_t dim, int64_t step, bool joins) {
    count *= dim;
    if (joins && rank > 0) {
      dims[rank - 1] *= dim;
      return;
    }
    dims[rank] = dim;
    steps[rank++] = step;
  }
  int64_t Offset(int64_t flat) const {
    int64_t offset = 0;
    for (int i = 0; i < rank; ++i) {
      offset += flat % dims[i] * steps[i];
      flat /= dims[i];
    }
    return offset;
  }
};

// The kept and reduced axes of the input; the innermost run is separate.
struct ReduceLayout {
  ReduceNest kept, reduced;  // without the inner run, innermost first
  int64_t inner = 1;
  bool inner_reduced = true;
  int64_t reduced_count = 1;

  ReduceLayout(const Shape& shape, uint32_t mask) {
    int axis = shape.rank() - 1;
    while (axis >= 0 && shape.dim(axis) == 1) --axis;
    inner_reduced = axis < 0 || (mask >> axis & 1);
    int64_t step = 1;
    bool inside = true, last_reduced = inner_reduced;
    for (; axis >= 0; --axis) {
      int64_t dim = shape.dim(axis);
      if (dim == 1) continue;
      bool is_reduced = mask >> axis & 1;
      if (is_reduced) reduced_count *= dim;
      inside = inside && is_reduced == inner_reduced;
      if (inside) {
        inner *= dim;
      } else {
        (is_reduced ? reduced : kept)
            .Add(dim, step, is_reduced == last_reduced);
      }
      last_reduced = is_reduced;
      step *= dim;
    }
  }
};

}  // namespace sluice
