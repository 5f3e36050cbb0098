// One axis cut at positions given as tensors: the result of SliceAxis, and the
// target of its gradient.
#pragma once

#include "sluice/kernels/shape_value.h"
#include "sluice/ops/array/cut_axis.h"

namespace sluice::slice_axis {

// Checks axis, step and the positions at inputs `first` and `first + 1`;
// returns the shape of that view of an array of shape x, which messages call
// `name`.
inline Result<PartialShape> CutShape(const ShapeContext& c,
                                     const PartialShape& x,
                                     std::string_view name, int first) {
  if (c.attr<int64_t>("step") < 1) {
    return c.Error(
        StrCat("step is ", c.attr<int64_t>("step"), "; wanted at least 1"));
  }
  SL_RETURN_IF_ERROR(c.WantRank(first, 0));
  SL_RETURN_IF_ERROR(c.WantRank(first + 1, 0));
  PartialShape out = x;
  if (!x.rank_known()) return out;
  int64_t given = c.attr<int64_t>("axis");
  if (given < -x.rank() || given >= x.rank()) {
    return c.Error(StrCat(name, ", axis is ", given, "; wanted ", -x.rank(),
                          " to ", x.rank() - 1));
  }
  auto axis = static_cast<int>(given < 0 ? given + x.rank() : given);
  const Array *begin = c.value(first), *end = c.value(first + 1);
  bool known = x[axis] >= 0 && begin && end;
  out.set_dim(axis, known ? cut_axis::CutAxis(x[axis], *begin->data<int64_t>(),
                                              *end->data<int64_t>(),
                                              c.attr<int64_t>("step"))
                                .count
                          : kUnknownDim);
  return out;
}

// Whether the cut elements keep their order in memory.
inline ViewOrder OrderOfCut(const Attrs& attrs) {
  return attrs.get<int64_t>("axis") == 0 && attrs.get<int64_t>("step") == 1
             ? ViewOrder::kKeeps
             : ViewOrder::kChanges;
}

inline Attrs Along(int64_t axis, int64_t step = 1) {
  return {{"axis", axis}, {"step", step}};
}
inline Array Place(int64_t at) { return Array::Scalar<int64_t>(at); }

}  // namespace sluice::slice_axis
