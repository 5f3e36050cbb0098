#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/cpu/indices.h"
#include "sluice/kernels/cpu/scatter.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/ops/array/array_grad.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 2));
  SL_RETURN_IF_ERROR(c.WantRank(3, 0));
  SL_ASSIGN_OR_RETURN(PartialShape out, ShapeFromInput(c, 1));
  const PartialShape &indices = c.in(0), &values = c.in(2);
  if (indices.rank_known() && out.rank_known() && indices[1] >= 0 &&
      indices[1] != out.rank()) {
    return c.Error(StrCat(c.Describe(0), ", shape is ", out,
                          "; wanted one index for each axis"));
  }
  if (values.rank_known() &&
      (values.rank() > 1 ||
       (values.rank() == 1 && indices.rank_known() && values[0] >= 0 &&
        indices[0] >= 0 && values[0] != indices[0]))) {
    return c.Error(StrCat(c.Describe(0), ", ", c.Describe(2),
                          "; wanted one value, or one for each row of "
                          "indices"));
  }
  c.set_out(0, out);
  return OkStatus();
}

int64_t Workspace(const ShapeContext& c) {
  if (!c.in(0).fully_known()) return 0;
  // Tuples without indices take no memory themselves, so there may be very
  // many; too large a request is then refused.
  return std::min(c.in(0)[0], kMaxElements / 8) * 8;
}

Status Launch(KernelContext& ctx) {
  const Array &values = ctx.in(2), &y = ctx.out(0);
  auto* rows = static_cast<int64_t*>(ctx.workspace());
  SL_RETURN_IF_ERROR(FlattenIndices(ctx, 0, y.shape(), rows));
  FillElements(y.dtype(), ctx.in(3).raw(), y.num_elements(), y.mutable_raw(),
               ctx.step().pool);
  RowScatter job{.op = ScatterOp::kUpdate, .dtype = y.dtype()};
  job.rows = y.num_elements();
  job.count = ctx.in(0).dim(0);
  job.same_update = values.rank() == 0;
  ScatterRows(job, y.mutable_raw(), DType::kI64, rows, values.raw(),
              ctx.step().pool);
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  Ints dims(in[1].v.begin(), in[1].v.end());
  RefArray y =
      ref::Build(ref::MakeShape(dims), [&](const Ints&) { return in[3].v[0]; });
  for (int64_t i = 0; i < in[0].shape.dim(0); ++i) {
    Ints at;
    for (int64_t k = 0; k < in[0].shape.dim(1); ++k) {
      at.push_back(static_cast<int64_t>(ref::At(in[0], {i, k})));
    }
    y.v[static_cast<size_t>(ref::Flat(y.shape, at))] =
        in[2].v[in[2].shape.rank() == 0 ? 0 : static_cast<size_t>(i)];
  }
  return {y};
}

Array To(std::initializer_list<int64_t> dims) {
  return Array::Vector<int64_t>(dims);
}

void Rule(GradContext& g) {
  GradVar indices = g.in(0), values = g.in(2), dy = g.dy();
  auto set = [&](GradVar to, GradVar what) {
    return g.call("TensorScatterUpdate", {to, indices, what});
  };
  // The gradient of positions that no index names belongs to the default.
  GradVar zero = g.scalar(0, dy.dtype());
  GradVar named = g.call("GatherNd", {dy, indices});
  GradVar rest = set(dy, ZerosAs(g, named));
  if (g.wants(3)) g.set_dx(3, g.call("Sum", {rest}));
  if (!g.wants(2)) return;
  if (values.rank() == 0) {
    return g.set_dx(2, g.call("Sum", {dy - rest}));
  }
  if (values.rank() < 0) {
    return g.fail("the gradient needs to know how many axes values has");
  }
  // If several values have one position, the last one stays: the one that finds
  // its own number there when numbers are put.
  GradVar numbers = Counted(g, values);
  GradVar none = FilledAs(g, dy, -1, DType::kI64);
  GradVar there = g.call("GatherNd", {set(none, numbers), indices});
  GradVar stays = g.call("Equal", {there, numbers});
  g.set_dx(2, g.call("Select", {stays, named, zero}));
}

}  // namespace

SL_OP(SparseToDense)
    .doc(
        "An array of one value everywhere but at rows of indices, where it has "
        "the values given: one for each row, or one for all. Of several for "
        "one place the last stays.")
    .input("indices: I")
    .input("shape: i64")
    .input("values: T")
    .input("default_value: T")
    .output("y: T")
    .types("I", kIndices)
    .types("T", kPlain)
    .shape(Infer)
    .grad(Rule)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .reference(Reference)
    .samples({{.in = {{3, 1}, To({6}), {3}, Shape()}, .lo = 0, .hi = 5},
              {.in = {{4, 2}, To({3, 4}), {4}, Shape()}, .lo = 0, .hi = 2},
              {.in = {{4, 2}, To({3, 4}), Shape(), Shape()}, .lo = 0, .hi = 2},
              {.in = {{0, 2}, To({2, 2}), {0}, Shape()}},
              {.in = {{1, 0}, To({}), {1}, Shape()}},
              {.in = {{0, 1}, To({0}), Shape(), Shape()}}})
    .rejects(
        {{.in = {Array::Of<int64_t>({1, 1}, {4}), To({4}), {1}, Shape()},
          .message = "[SparseToDense] indices[0] is [4]; wanted indices inside "
                     "[4]"},
         {.in = {Array::Of<int32_t>({1, 2}, {0, -1}), To({2, 2}), {1}, Shape()},
          .message = "[SparseToDense] indices[0] is [0,-1]; wanted"},
         {.in = {Array::Zeros(DType::kI64, {1, 2}), To({4}), {1}, Shape()},
          .message = "[SparseToDense] indices is i64[1,2], shape is [4]; "
                     "wanted one index for each axis"},
         {.in = {Array::Zeros(DType::kI64, {2, 1}), To({4}), {3}, Shape()},
          .message = "[SparseToDense] indices is i64[2,1], values is f32[3]; "
                     "wanted one value, or one for each row of indices"},
         {.in = {Array::Zeros(DType::kI64, {2}), To({4}), {2}, Shape()},
          .message = "[SparseToDense] indices is i64[2]; wanted rank 2"},
         {.in = {Array::Zeros(DType::kI64, {1, 1}), To({-1}), {1}, Shape()},
          .message = "[SparseToDense] shape[0] is -1; wanted a size"},
         {.in = {Array::Zeros(DType::kI64, {1, 1}),
                 To({kMaxElements}),
                 {1},
                 Shape()},
          .message = "out of memory"}});

}  // namespace sluice
