#include <algorithm>

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/cpu/indices.h"
#include "sluice/kernels/cpu/scatter.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/ops/array/array_grad.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 1));
  if (c.num_inputs() == 1) {
    return c.Error("data is empty; wanted at least one input");
  }
  // All data are alike but for the first size, and have one row per index.
  PartialShape row;
  int64_t rows = 0;
  for (int i = 1; i < c.num_inputs(); ++i) {
    SL_RETURN_IF_ERROR(c.WantRankAtLeast(i, 1));
    PartialShape data = c.in(i);
    if (!data.rank_known()) {
      rows = kUnknownDim;
      continue;
    }
    if (data[0] < 0 || rows < 0 || !CheckedAdd(rows, data[0], &rows)) {
      rows = kUnknownDim;
    }
    data.set_dim(0, kUnknownDim);
    Result<PartialShape> merged = MergeShapes(row, data);
    if (!merged.ok()) {
      return c.Error(StrCat("shapes differ: ", c.Describe(1), ", ",
                            c.Describe(i),
                            "; wanted equal sizes but on axis 0"));
    }
    row = *merged;
  }
  const PartialShape& indices = c.in(0);
  if (indices.rank_known() && indices[0] >= 0 && rows >= 0 &&
      indices[0] != rows) {
    return c.Error(StrCat(c.Describe(0), ", data have ", rows,
                          " rows; wanted one index for each row"));
  }
  int64_t size = kUnknownDim;
  if (const Array* value = c.value(0)) {
    size = 0;
    for (int64_t i : IntValues(*value)) {
      size = std::max(size, i < kMaxElements ? i + 1 : kMaxElements + 1);
    }
  }
  if (!row.rank_known()) return OkStatus();
  row.set_dim(0, size);
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, row.dims()));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array &indices = ctx.in(0), &y = ctx.out(0);
  WorkerPool* pool = ctx.step().pool;
  SL_RETURN_IF_ERROR(CheckIndices(ctx, 0, y.dim(0)));
  if (y.num_elements() == 0) return OkStatus();
  FillElements(y.dtype(), ElementOf(0, y.dtype()).bytes, y.num_elements(),
               y.mutable_raw(), pool);
  RowScatter job{.op = ScatterOp::kUpdate, .dtype = y.dtype()};
  job.rows = y.dim(0);
  job.inner = y.num_elements() / y.dim(0);
  const char* at = static_cast<const char*>(indices.raw());
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    job.count = ctx.in(i).dim(0);
    ScatterRows(job, y.mutable_raw(), indices.dtype(), at, ctx.in(i).raw(),
                pool);
    at += job.count * DTypeSize(indices.dtype());
  }
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  double size = 0;
  for (double i : in[0].v) size = std::max(size, i + 1);
  Ints dims = ref::DimsOf(in[1].shape);
  dims[0] = static_cast<int64_t>(size);
  RefArray y = ref::Build(ref::MakeShape(dims), [](const Ints&) { return 0; });
  size_t row = 0;
  for (size_t k = 1; k < in.size(); ++k) {
    ref::ForEach(in[k].shape, [&](Ints index) {
      double v = ref::At(in[k], index);
      index[0] =
          static_cast<int64_t>(in[0].v[row + static_cast<size_t>(index[0])]);
      y.v[static_cast<size_t>(ref::Flat(y.shape, index))] = v;
    });
    row += static_cast<size_t>(in[k].shape.dim(0));
  }
  return {y};
}

Array Ids(std::initializer_list<int64_t> v) {
  return Array::Vector<int64_t>(v);
}

void Rule(GradContext& g) {
  GradVar indices = g.in(0), dy = g.dy();
  int rank = dy.rank();
  if (rank < 0) return g.fail("the gradient needs to know dy's rank");
  // If several rows have one index, the last one stays: the one that finds its
  // own number there when numbers are stitched.
  GradVar numbers = Counted(g, indices);
  GradVar there = g.call("DynamicStitch", {indices, numbers});
  GradVar stays =
      g.call("Equal", {g.call("Gather", {there, indices}), numbers});
  if (rank > 1) {
    Ints column(static_cast<size_t>(rank), 1);
    column[0] = -1;
    stays = g.call("Reshape", {stays, g.ints(column)});
  }
  GradVar rows = g.call("Gather", {dy, indices});
  GradVar zero = g.scalar(0, dy.dtype());
  SplitBack(g, g.call("Select", {stays, rows, zero}), 1, 0);
}

}  // namespace

SL_OP(DynamicStitch)
    .doc(
        "The rows of all data put where indices say, which has one index for "
        "each row, one input after the other. As long as the largest index "
        "asks for; rows no index names are 0, and of several rows for one "
        "index the last stays. Undoes DynamicPartition.")
    .input("indices: I")
    .input("data: T*")
    .output("y: T")
    .types("I", kIndices)
    .types("T", kPlain)
    .shape(Infer)
    .grad(Rule)
    .cpu(Launch)
    .reference(Reference)
    .samples({{.in = {Ids({2, 0, 1, 3}), {2}, {2}}},
              {.in = {Array::Vector<int32_t>({4, 0, 4}), {1, 3}, {2, 3}}},
              {.in = {Ids({0, 1}), {0, 2}, {2, 2}, {0, 2}}},
              {.in = {Ids({}), {0, 2}}},
              {.in = {Ids({3, 1}), {2, 0}}},
              {.in = {{900}, {600, 40}, {300, 40}},
               .lo = 0,
               .hi = 500,
               .only = {DType::kF32, DType::kF64}}})
    .rejects(
        {{.in = {Ids({0, -1}), {2}},
          .message = "[DynamicStitch] indices[1] is -1; wanted 0 <= "},
         {.in = {Ids({INT64_MIN}), {1}},
          .message = "[DynamicStitch] indices[0] is -9223372036854775808"},
         {.in = {Ids({0, INT64_MAX}), {2}},
          .message = "[DynamicStitch] shape [281474976710657] has too"},
         {.in = {Ids({kMaxElements - 1}), {1}}, .message = "out of memory"},
         {.in = {Ids({0, 1}), {1}, {2}},
          .message = "[DynamicStitch] indices is i64[2], data have 3 rows; "
                     "wanted one index for each row"},
         {.in = {Ids({0, 1}), {1, 2}, {1, 3}},
          .message = "[DynamicStitch] shapes differ: data[0] is f32[1,2], "
                     "data[1] is f32[1,3]; wanted equal sizes but on "
                     "axis 0"},
         {.in = {Array::Zeros(DType::kI64, {1, 1}), {1}},
          .message = "[DynamicStitch] indices is i64[1,1]; wanted rank "
                     "1"},
         {.in = {Ids({0}), Shape()},
          .message = "[DynamicStitch] data[0] is f32[]; wanted rank 1 or "
                     "more"}});

}  // namespace sluice
