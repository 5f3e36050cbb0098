#include "sluice/kernels/cpu/gather.h"

#include <algorithm>

#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cpu/indices.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  const PartialShape &params = c.in(0), &indices = c.in(1);
  if (!params.rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), params.rank()));
  if (!indices.rank_known()) return OkStatus();
  Ints dims;
  for (int i = 0; i < params.rank(); ++i) {
    if (i != axis) {
      dims.push_back(params[i]);
    } else {
      dims.insert(dims.end(), indices.dims().begin(), indices.dims().end());
    }
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array &params = ctx.in(0), &indices = ctx.in(1), &y = ctx.out(0);
  AxisView v(params.shape(), ctx.attr<int64_t>("axis"));
  int64_t count = indices.num_elements();
  if (params.dtype() != DType::kString) {
    RowPick pick{v.outer, v.size, v.inner * DTypeSize(params.dtype()), count};
    int64_t good = GatherRows(pick, params.raw(), indices.dtype(),
                              indices.raw(), y.mutable_raw(), ctx.step().pool);
    return good < count ? OutsideError(ctx, 1, good, v.size) : OkStatus();
  }
  SL_RETURN_IF_ERROR(CheckIndices(ctx, 1, v.size));
  if (y.num_elements() == 0) return OkStatus();
  DispatchIndex(indices.dtype(), [&]<class I>() {
    for (int64_t r = 0; r < v.outer * count; ++r) {
      int64_t row = r / count * v.size + indices.data<I>()[r % count];
      std::copy_n(params.data<std::string>() + row * v.inner, v.inner,
                  y.mutable_data<std::string>() + r * v.inner);
    }
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const Shape &params = in[0].shape, &indices = in[1].shape;
  int axis = ref::Axis(attrs.get<int64_t>("axis"), params.rank());
  Ints dims = ref::DimsOf(params), middle = ref::DimsOf(indices);
  dims.erase(dims.begin() + axis);
  dims.insert(dims.begin() + axis, middle.begin(), middle.end());
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    auto first = index.begin() + axis, last = first + indices.rank();
    double at = ref::At(in[1], Ints(first, last));
    index.erase(first, last);
    index.insert(index.begin() + axis, static_cast<int64_t>(at));
    return ref::At(in[0], index);
  })};
}

// Out of range from 700 on, in tasks that may run in any order.
Array ManyBad() {
  std::vector<int64_t> at(4000, 0);
  std::fill(at.begin() + 700, at.end(), 3);
  return Array::Vector(std::span<const int64_t>(at));
}

// The sizes of an array of one slice of params for each of a vector of indices.
GradVar RowsShape(GradContext& g, GradVar indices, GradVar params) {
  PartialShape shape = params.shape();
  Ints dims{-1};
  bool known = shape.rank_known();
  for (int i = 1; known && i < shape.rank(); ++i) {
    dims.push_back(shape[i]);
    // A size of 0 would leave the -1 open.
    known = shape[i] > 0;
  }
  if (known) return g.ints(dims);
  GradVar rest = g.call("Slice", {g.shape_of(params)},
                        {{"begin", Ints{1}}, {"size", Ints{-1}}});
  return g.call("Concat", {g.shape_of(indices), rest});
}

// Rows of a table are few of many: their gradient stays rows.
void Rule(GradContext& g) {
  GradVar params = g.in(0), indices = g.in(1), dy = g.dy();
  int64_t axis = g.attr<int64_t>("axis");
  if (axis != 0 && axis + params.rank() != 0) {
    GradVar shape = g.shape_of(params);
    return g.set_dx(0, g.call("GatherGrad", {dy, indices, shape}, g.attrs()));
  }
  if (indices.rank() != 1) {
    indices = g.call("Reshape", {indices, g.ints({-1})});
    dy = g.call("Reshape", {dy, RowsShape(g, indices, params)});
  }
  g.set_dx_rows(0, indices, dy);
}

constexpr DTypeSet kFew{DType::kF32, DType::kF16, DType::kI8, DType::kC64};

bool Batched(BatchContext& b) {
  int rank = b.rank(0), picked = b.rank(1);
  if (rank < 1 || picked < 0) return false;
  int64_t axis = b.attr<int64_t>("axis");
  if (axis < 0) axis += rank;
  int at = static_cast<int>(axis);
  if (!b.batched(1)) return b.set_all(b.all_in(), b.shifted_axis(rank));
  if (!b.batched(0)) {
    // The axes of the indices, lanes first, take the place of the axis.
    RuleVar y = b.call("Gather", {b.in(0), b.in(1)}, {{"axis", axis}});
    b.set(0, b.move_axis(y, rank + picked, at, 0));
    return true;
  }
  RuleVar rows = b.move_axis(b.in(0), rank + 1, at + 1, 1);
  RuleVar tuples = batch_rules::with_lane_numbers(
      b, b.expand(b.in(1), picked + 1), picked + 1);
  RuleVar y = b.call("GatherNd", {rows, tuples});
  // [lanes, indices, before the axis, behind it] to where they belong.
  std::vector<int64_t> perm{0};
  for (int i = 0; i < at; ++i) perm.push_back(1 + picked + i);
  for (int i = 0; i < picked; ++i) perm.push_back(1 + i);
  for (int i = at; i + 1 < rank; ++i) perm.push_back(1 + picked + i);
  b.set(0, b.transpose(y, perm));
  return true;
}

}  // namespace

SL_OP(Gather)
    .doc(
        "Slices of params along an axis, picked by indices: rows of an "
        "embedding table, columns of a matrix.")
    .input("params: T")
    .input("indices: I")
    .output("y: T")
    .types("T", kAnyData)
    .types("I", kIndices)
    .attr("axis", 0, "The axis of params to pick from.")
    .shape(Infer)
    .grad(Rule)
    .batch(Batched)
    .cpu(Launch)
    .role(Role::kGather)
    .recompute(Recompute::kCheapOfFixed)
    .reference(Reference)
    .samples(
        {{.in = {{5}, {3}}, .lo = 0, .hi = 4},
         {.in = {{4, 3}, {2, 2}}, .lo = 0, .hi = 3},
         {.in = {{2, 4, 3}, {5}}, .attrs = {{"axis", 1}}, .lo = 0, .hi = 3},
         {.in = {{2, 4}, Shape()}, .attrs = {{"axis", -1}}, .lo = 0, .hi = 3},
         {.in = {{3}, {0}}},
         {.in = {{0, 3}, {0}}},
         {.in = {{0, 3}, {2}}, .attrs = {{"axis", 1}}, .lo = 0, .hi = 2},
         {.in = {{100, 64}, {300}}, .lo = 0, .hi = 99, .only = kFew},
         {.in = {{50, 37}, {200}}, .lo = 0, .hi = 49, .only = kFew},
         {.in = {{60, 700}, {40}}, .lo = 0, .hi = 59, .only = kFew},
         {.in = {{3, 50, 2}, {400}},
          .attrs = {{"axis", 1}},
          .lo = 0,
          .hi = 49,
          .only = kFew},
         {.in = {{40}, {40000}}, .lo = 0, .hi = 39, .only = kFew}})
    .rejects({{.in = {{3, 64}, ManyBad()},
               .message = "[Gather] indices[700] is 3; wanted 0 <= index < 3"},
              {.in = {{0, 3}, Array::Vector<int64_t>({0, 3})},
               .attrs = {{"axis", 1}},
               .message = "[Gather] indices[1] is 3; wanted 0 <= index < 3"},
              {.in = {{3}, Array::Vector<int64_t>({0, 3})},
               .message = "[Gather] indices[1] is 3; wanted 0 <= index < 3"},
              {.in = {{3}, Array::Vector<int32_t>({-1})},
               .message = "[Gather] indices[0] is -1; wanted 0 <= index < 3"},
              {.in = {{3}, Array::Vector<int32_t>({INT32_MIN})},
               .message = "[Gather] indices[0] is -2147483648; wanted 0 <= "},
              {.in = {{3}, Array::Vector<int64_t>({0, INT64_MIN})},
               .message = "[Gather] indices[1] is -9223372036854775808; "},
              {.in = {{0, 2}, Array::Vector<int64_t>({0})},
               .message = "[Gather] indices[0] is 0; wanted 0 <= index < 0"},
              {.in = {Shape(), Array::Vector<int64_t>({0})},
               .message = "[Gather] params is f32[]; wanted rank 1 or more"},
              {.in = {{3}, Array::Vector<int64_t>({0})},
               .attrs = {{"axis", 1}},
               .message = "[Gather] axis 1 is out of range"},
              {.in = {{1, 1, 1, 1, 1, 1, 1, 1},
                      Array::Zeros(DType::kI64, {1, 1})},
               .message = "[Gather] rank 9 is too large"}});

}  // namespace sluice
