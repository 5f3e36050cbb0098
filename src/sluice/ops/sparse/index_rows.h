// Index* ops: x with some of its slices along an axis changed, picked by a
// vector of indices. What they share but the operation.
#pragma once

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cpu/indices.h"
#include "sluice/kernels/cpu/scatter.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/record.h"
#include "sluice/tensor/strided.h"

namespace sluice::index_rows {

inline Status shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  const PartialShape &x = c.in(0), &indices = c.in(1), &updates = c.in(2);
  if (!x.rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), x.rank()));
  PartialShape wanted = x;
  wanted.set_dim(axis, indices.rank_known() ? indices[0] : kUnknownDim);
  if (!MergeShapes(wanted, updates).ok()) {
    return c.Error(StrCat(c.Describe(0), ", ", c.Describe(1), ", ",
                          c.Describe(2), "; wanted updates of shape ", wanted));
  }
  c.set_out(0, x);
  return OkStatus();
}

template <ScatterOp op>
Status kernel(KernelContext& ctx) {
  const Array &x = ctx.in(0), &indices = ctx.in(1), &y = ctx.out(0);
  AxisView v(x.shape(), ctx.attr<int64_t>("axis"));
  SL_RETURN_IF_ERROR(CheckIndices(ctx, 1, v.size));
  if (y.raw() != x.raw()) CopyStrided(x, y, ctx.step().pool);
  RowScatter job{.op = op, .dtype = x.dtype()};
  job.outer = v.outer;
  job.rows = v.size;
  job.inner = v.inner;
  job.count = indices.num_elements();
  ScatterRows(job, y.mutable_raw(), indices.dtype(), indices.raw(),
              ctx.in(2).raw(), ctx.step().pool);
  return OkStatus();
}

// y starts as x; then each update in order: apply(&element, update).
template <void (*apply)(double&, double)>
std::vector<RefArray> reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  auto axis = static_cast<size_t>(
      ref::Axis(attrs.get<int64_t>("axis"), in[0].shape.rank()));
  RefArray y = in[0];
  ref::ForEach(in[2].shape, [&](const Ints& index) {
    Ints at = index;
    at[axis] = static_cast<int64_t>(in[1].v[static_cast<size_t>(index[axis])]);
    apply(y.v[static_cast<size_t>(ref::Flat(y.shape, at))],
          ref::At(in[2], index));
  });
  return {y};
}

inline std::vector<Sample> Samples() {
  constexpr DTypeSet kLong{DType::kF32, DType::kF64, DType::kF16, DType::kI8};
  return {
      {.in = {{5}, {3}, {3}}, .lo = 0, .hi = 4},
      {.in = {{4, 3}, {6}, {6, 3}}, .lo = 0, .hi = 3},
      {.in = {{2, 4, 3}, {5}, {2, 5, 3}},
       .attrs = {{"axis", 1}},
       .lo = 0,
       .hi = 3},
      {.in = {{3, 4}, {2}, {3, 2}}, .attrs = {{"axis", -1}}, .lo = 0, .hi = 3},
      {.in = {{3}, {0}, {0}}},
      {.in = {{0, 2}, {0}, {0, 2}}},
      {.in = {{2, 0}, {2}, {2, 0}}, .lo = 0, .hi = 1},
      {.in = {{90, 64}, {800}, {800, 64}}, .lo = 0, .hi = 89, .only = kLong},
      {.in = {{5, 1100}, {60}, {60, 1100}}, .lo = 0, .hi = 4, .only = kLong},
      {.in = {{3000}, {50000}, {50000}},
       .lo = 0,
       .hi = 2999,
       .only = {DType::kF64}},
      {.in = {{9, 70, 3}, {700}, {9, 700, 3}},
       .attrs = {{"axis", 1}},
       .lo = 0,
       .hi = 69,
       .only = kLong}};
}

inline std::vector<Reject> Rejects(std::string_view op) {
  auto i64 = [](std::initializer_list<int64_t> v) {
    return Array::Vector<int64_t>(v);
  };
  return {
      {.in = {{3}, i64({0, 3}), {2}},
       .message = StrCat("[", op, "] indices[1] is 3; wanted 0 <= index < 3")},
      {.in = {{3}, i64({INT64_MIN}), {1}},
       .message = StrCat("[", op, "] indices[0] is -9223372036854775808; ")},
      {.in = {{3}, Array::Vector<int32_t>({-1}), {1}},
       .message = StrCat("[", op, "] indices[0] is -1; wanted 0 <= index")},
      {.in = {{3, 2}, i64({0, 1}), {3, 2}},
       .message = StrCat("[", op,
                         "] x is f32[3,2], indices is i64[2], updates "
                         "is f32[3,2]; wanted updates of shape [2,2]")},
      {.in = {{3}, i64({0}), {1, 1}},
       .message = StrCat("[", op, "] x is f32[3], indices is i64[1], ")},
      {.in = {{3}, i64({0}), {1}},
       .attrs = {{"axis", 1}},
       .message = StrCat("[", op, "] axis 1 is out of range")},
      {.in = {Shape(), i64({0}), {1}},
       .message = StrCat("[", op, "] x is f32[]; wanted rank 1 or more")},
      {.in = {{3}, {1}, {1}},
       .message = StrCat("[", op, "] indices is f32; wanted one of i32 i64")}};
}

}  // namespace sluice::index_rows
