// Shared by TensorScatter* ops and ScatterNd: elements or slices selected by
// tuples of indices along the last axis of `indices`.
#pragma once

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/indices.h"
#include "sluice/kernels/cpu/scatter.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/record.h"
#include "sluice/tensor/strided.h"

namespace sluice::scatter_tuples {

// Checks input `at` (indices) and the next one (updates) against the shape that
// is written to.
inline Status CheckShapes(ShapeContext& c, int at, const PartialShape& target) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(at, 1));
  const PartialShape &indices = c.in(at), &updates = c.in(at + 1);
  if (!indices.rank_known()) return OkStatus();
  int64_t depth = indices[indices.rank() - 1];
  if (depth < 0 || !target.rank_known()) return OkStatus();
  if (depth > target.rank()) {
    return c.Error(StrCat(c.Describe(at), "; wanted tuples of at most ",
                          target.rank(), " indices, as ", target, " has axes"));
  }
  Ints dims(indices.dims().begin(), indices.dims().end() - 1);
  for (int i = static_cast<int>(depth); i < target.rank(); ++i) {
    dims.push_back(target[i]);
  }
  Result<PartialShape> wanted = PartialShape::Make(dims);
  if (!wanted.ok() || !MergeShapes(*wanted, updates).ok()) {
    return c.Error(StrCat(c.Describe(at), ", ", c.Describe(at + 1),
                          "; wanted updates of shape [", Join(dims, ","), "]"));
  }
  return OkStatus();
}

// Room for one row number per tuple of input `at`.
inline int64_t TupleBytes(const ShapeContext& c, int at) {
  if (!c.in(at).fully_known()) return 0;
  int64_t tuples = 1;
  for (int i = 0; i + 1 < c.in(at).rank(); ++i) tuples *= c.in(at)[i];
  // Tuples without indices take no memory themselves, so there may be very
  // many; too large a request is then refused.
  return std::min(tuples, kMaxElements / 8) * 8;
}

// Applies updates (input at + 1) to `y` at the tuples of input `at`, after
// checking that all tuples are in bounds. `prepare` runs in between: before it
// nothing has been written.
template <class Prepare>
Status Apply(KernelContext& ctx, int at, ScatterOp op, const Array& y,
             Prepare&& prepare) {
  const Array& indices = ctx.in(at);
  auto depth = static_cast<int>(indices.dim(indices.rank() - 1));
  auto* rows = static_cast<int64_t*>(ctx.workspace());
  SL_RETURN_IF_ERROR(FlattenIndices(ctx, at, y.shape(), rows));
  prepare();
  RowScatter job{.op = op, .dtype = y.dtype()};
  job.rows = 1;
  for (int i = 0; i < y.rank(); ++i) {
    (i < depth ? job.rows : job.inner) *= y.dim(i);
  }
  job.count = 1;
  for (int i = 0; i + 1 < indices.rank(); ++i) job.count *= indices.dim(i);
  ScatterRows(job, y.mutable_raw(), DType::kI64, rows, ctx.in(at + 1).raw(),
              ctx.step().pool);
  return OkStatus();
}

inline Status shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckShapes(c, 1, c.in(0)));
  c.set_out(0, c.in(0));
  return OkStatus();
}
inline int64_t workspace(const ShapeContext& c) { return TupleBytes(c, 1); }

template <ScatterOp op>
Status kernel(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  return Apply(ctx, 1, op, y, [&] {
    if (y.raw() != x.raw()) CopyStrided(x, y, ctx.step().pool);
  });
}

// Each update in order: apply(&element, update).
inline RefArray Scatter(RefArray y, const RefArray& indices,
                        const RefArray& updates,
                        void (*apply)(double&, double)) {
  int lead = indices.shape.rank() - 1;
  int64_t depth = indices.shape.dim(lead);
  ref::ForEach(updates.shape, [&](const Ints& index) {
    Ints tuple(index.begin(), index.begin() + lead), at;
    for (int64_t k = 0; k < depth; ++k) {
      Ints one = tuple;
      one.push_back(k);
      at.push_back(static_cast<int64_t>(ref::At(indices, one)));
    }
    at.insert(at.end(), index.begin() + lead, index.end());
    apply(y.v[static_cast<size_t>(ref::Flat(y.shape, at))],
          ref::At(updates, index));
  });
  return y;
}

template <void (*apply)(double&, double)>
std::vector<RefArray> reference(const std::vector<RefArray>& in, const Attrs&) {
  return {Scatter(in[0], in[1], in[2], apply)};
}

// Many updates of one element: not for products, which soon leave every type.
inline std::vector<Sample> Samples(bool many = true) {
  constexpr DTypeSet kLong{DType::kF32, DType::kF64, DType::kF16, DType::kI8};
  std::vector<Sample> out{
      {.in = {{5}, {4, 1}, {4}}, .lo = 0, .hi = 4},
      {.in = {{4, 3}, {6, 1}, {6, 3}}, .lo = 0, .hi = 3},
      {.in = {{3, 4, 2}, {2, 3, 2}, {2, 3, 2}}, .lo = 0, .hi = 2},
      {.in = {{3, 3}, {5, 2}, {5}}, .lo = 0, .hi = 2},
      {.in = {{2, 2}, {1}, {2}}, .lo = 0, .hi = 1},
      {.in = {{2, 2}, {3, 0}, {3, 2, 2}}},  // tuples of none: the whole
      {.in = {{3}, {0, 1}, {0}}},
      {.in = {{0, 2}, {0, 1}, {0, 2}}},
      {.in = {{2, 0}, {2, 1}, {2, 0}}, .lo = 0, .hi = 1},
      {.in = {{90, 64}, {800, 1}, {800, 64}}, .lo = 0, .hi = 89, .only = kLong},
      {.in = {{30, 40}, {30000, 2}, {30000}},
       .lo = 0,
       .hi = 29,
       .only = {DType::kF64}}};
  if (!many) {
    out.resize(9);
    // A factor of 0, which gradients must not divide by, alone and with others.
    out.push_back({.in = {Array::Vector<double>({2, 3, 0}),
                          Array::Of<int64_t>({5, 1}, {0, 1, 1, 1, 2}),
                          Array::Vector<double>({0, 4, 0, 0.5, 3})}});
  }
  return out;
}

inline std::vector<Reject> Rejects(std::string_view op) {
  return {
      {.in = {{3}, Array::Of<int64_t>({2, 1}, {0, 3}), {2}},
       .message = StrCat("[", op,
                         "] indices[1] is [3]; wanted indices inside "
                         "[3]")},
      {.in = {{3, 2}, Array::Of<int32_t>({1, 2}, {1, -1}), {1}},
       .message = StrCat("[", op,
                         "] indices[0] is [1,-1]; wanted indices "
                         "inside [3,2]")},
      {.in = {{3}, Array::Of<int64_t>({1, 1}, {INT64_MIN}), {1}},
       .message = StrCat("[", op, "] indices[0] is [-9223372036854775808]")},
      {.in = {{3}, Array::Zeros(DType::kI64, {1, 2}), {1}},
       .message = StrCat("[", op,
                         "] indices is i64[1,2]; wanted tuples of at "
                         "most 1 indices")},
      {.in = {{3, 2}, Array::Zeros(DType::kI64, {4, 1}), {4}},
       .message = StrCat("[", op,
                         "] indices is i64[4,1], updates is f32[4]; "
                         "wanted updates of shape [4,2]")},
      {.in = {{3}, Array::Scalar<int64_t>(0), {1}},
       .message = StrCat("[", op, "] indices is i64[]; wanted rank 1 or more")},
      {.in = {{3}, {1, 1}, {1}},
       .message = StrCat("[", op, "] indices is f32; wanted one of i32 i64")}};
}

}  // namespace sluice::scatter_tuples
