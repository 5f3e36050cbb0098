// Shared by Sort, ArgSort and TopK: views the axis as rows. Rows of the last
// axis are used in place; others are gathered in scratch space and scattered
// afterwards.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "sluice/base/checked_math.h"
#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cpu/sort.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/record.h"
#include "sluice/tensor/strided.h"

namespace sluice::sort_axis {

inline constexpr DTypeSet kSortable = kReals | DTypeSet{DType::kBool};

inline Status shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  if (c.in(0).rank_known()) {
    SL_ASSIGN_OR_RETURN([[maybe_unused]] int axis,
                        c.ResolveAxis(c.attr<int64_t>("axis"), c.in(0).rank()));
  }
  return shapes::same_as_first(c);
}

struct Rows {
  AxisView v;
  SortRows job;

  Rows(const Shape& shape, DType dtype, const Attrs& attrs, bool descending)
      : v(shape, attrs.get<int64_t>("axis")),
        job{dtype, v.outer * v.inner, v.size, descending} {}
  bool direct() const { return v.inner == 1 || job.rows * job.n == 0; }
  // Scratch for `n` elements of `size` bytes in each row.
  int64_t Bytes(int64_t n, int64_t size) const {
    return direct() ? 0 : AlignUp(job.rows * n * size, 64);
  }
};

// x's rows consecutively: x itself, or copied to `scratch`.
inline const void* Gather(const Rows& r, const Array& x, void* scratch,
                          WorkerPool* pool) {
  if (r.direct()) return x.raw();
  CopyRegion(x.dtype(), Shape({r.v.outer, r.v.inner, r.v.size}), x.raw(),
             {r.v.size * r.v.inner, 1, r.v.inner}, scratch,
             {r.v.size * r.v.inner, r.v.size, 1}, pool);
  return scratch;
}
// The buffer for rows of n results; if it is not y, results are copied to y.
inline void* Target(const Rows& r, const Array& y, void* scratch) {
  return r.direct() ? y.mutable_raw() : scratch;
}
inline void Spread(const Rows& r, int64_t n, const void* rows, const Array& y,
                   WorkerPool* pool) {
  if (r.direct()) return;
  CopyRegion(y.dtype(), Shape({r.v.outer, n, r.v.inner}), rows,
             {n * r.v.inner, 1, n}, y.mutable_raw(),
             {n * r.v.inner, r.v.inner, 1}, pool);
}

// The places of a row's elements in order; NaN is above every number.
inline Ints Order(const std::vector<double>& row, bool descending) {
  Ints order;
  for (size_t i = 0; i < row.size(); ++i) {
    order.push_back(static_cast<int64_t>(i));
  }
  auto rank = [&](int64_t i) {
    double v = row[static_cast<size_t>(i)];
    return std::isnan(v) ? std::make_pair(1, 0.0) : std::make_pair(0, v);
  };
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    if (rank(a) == rank(b)) return a < b;
    return descending ? rank(b) < rank(a) : rank(a) < rank(b);
  });
  return order;
}

// A result of shape `to`: pick(place, element) for the element at position
// index[axis] of the order.
template <class Pick>
RefArray Reference(const RefArray& x, const Shape& to, int64_t axis,
                   bool descending, Pick&& pick) {
  auto a = static_cast<size_t>(ref::Axis(axis, x.shape.rank()));
  std::map<Ints, std::pair<std::vector<double>, Ints>> rows;
  return ref::Build(to, [&](const Ints& index) {
    Ints at = index;
    at[a] = 0;
    auto& [row, order] = rows[at];
    if (row.empty()) {
      for (; at[a] < x.shape.dim(static_cast<int>(a)); ++at[a]) {
        row.push_back(ref::At(x, at));
      }
      order = Order(row, descending);
    }
    auto i = static_cast<size_t>(order[static_cast<size_t>(index[a])]);
    return pick(i, row[i]);
  });
}

inline Array Specials() {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  return Array::Vector<float>({1, kNan, -0.0f, 0.0f, -kInf, -kNan, kInf, -1,
                               0.0f, -0.0f, 1e-40f, -1e-40f, 1});
}

}  // namespace sluice::sort_axis
