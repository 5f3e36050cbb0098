#include "sluice/ops/array/array_grad.h"
#include "sluice/ops/ragged/padded_rows.h"

namespace sluice {
namespace {

using namespace ragged;

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  SL_RETURN_IF_ERROR(c.WantRank(2, 0));
  SL_RETURN_IF_ERROR(c.WantRank(3, 0));
  SL_RETURN_IF_ERROR(EndOfRows(c, 1, FirstDim(c.in(0))).status());
  int64_t width = kUnknownDim;
  if (const Array* given = c.value(3)) {
    width = given->data<int64_t>()[0];
    if (c.value(1)) {
      PoolVector<int64_t> splits = IntValues(*c.value(1));
      std::span<const int64_t> all(splits.data(), splits.size());
      if (width < 0) width = LongestRow(all);
      SL_RETURN_IF_ERROR(CheckWidth(c, all, width));
    }
    width = std::max(width, kUnknownDim);
  }
  SL_ASSIGN_OR_RETURN(PartialShape out,
                      WithFirst(c, {RowsOf(c.in(1)), width}, c.in(0)));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  SL_RETURN_IF_ERROR(CheckSplits(ctx, 1, x.dim(0)));
  SL_RETURN_IF_ERROR(CheckWidth(ctx, ctx.in(1).i64s(), y.dim(1)));
  if (y.num_elements() == 0) return OkStatus();
  const int64_t* splits = ctx.in(1).data<int64_t>();
  int64_t inner = InnerOf(x.shape()), size = y.dim(1) * inner;
  ForElementsOf(x.dtype(), [&]<class T>() {
    const T* from = static_cast<const T*>(x.raw());
    const T* fill = static_cast<const T*>(ctx.in(2).raw());
    T* to = static_cast<T*>(y.mutable_raw());
    ForRows(ctx.step().pool, y.dim(0), y.num_elements(), [&](int64_t r) {
      T* end = std::copy(from + splits[r] * inner, from + splits[r + 1] * inner,
                         to + r * size);
      std::fill(end, to + (r + 1) * size, *fill);
    });
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  int64_t rows = in[1].shape.dim(0) - 1;
  auto width = static_cast<int64_t>(in[3].v[0]);
  for (size_t r = 0; in[3].v[0] < 0 && r < static_cast<size_t>(rows); ++r) {
    width = std::max(width, At(in[1], r + 1) - At(in[1], r));
  }
  Ints dims = ref::DimsOf(in[0].shape);
  dims[0] = std::max<int64_t>(width, 0);
  dims.insert(dims.begin(), rows);
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    auto r = static_cast<size_t>(index[0]);
    index.erase(index.begin());
    index[0] += At(in[1], r);
    return index[0] < At(in[1], r + 1) ? ref::At(in[0], index) : in[2].v[0];
  })};
}

Array Width(int64_t n) { return Array::Scalar<int64_t>(n); }

}  // namespace

SL_OP(RaggedToPadded)
    .doc(
        "The rows of a ragged array as one array of rows and columns, short "
        "rows filled up at their end. A negative width stands for that of the "
        "longest row; no row may be longer than the width.")
    .input("values: T")
    .input("splits: i64")
    .input("fill: T")
    .input("width: i64")
    .output("y: T")
    .types("T", kAnyData)
    .shape(Infer)
    .grad([](GradContext& g) {
      GradVar dy = g.dy(), splits = g.in(1);
      g.set_dx(0, g.call("PaddedToRagged", {dy, splits}));
      if (!g.wants(2)) return;
      // The positions without a value.
      GradVar rest = g.call("RaggedToPadded",
                            {ZerosAs(g, g.in(0)), splits,
                             g.scalar(1, dy.dtype()), SizeOfAxis(g, dy, 1)});
      g.set_dx(2, g.call("Sum", {dy * rest}));
    })
    .cpu(Launch)
    .reference(Reference)
    .samples({{.in = {{5}, Splits({0, 2, 2, 5}), Shape(), Width(-1)}},
              {.in = {{5}, Splits({0, 2, 2, 5}), Shape(), Width(4)}},
              {.in = {{4, 3}, Splits({0, 3, 4}), Shape(), Width(-1)}},
              {.in = {{0, 3}, Splits({0}), Shape(), Width(-1)}},
              {.in = {{0, 3}, Splits({0, 0, 0}), Shape(), Width(-1)}},
              {.in = {{0}, Splits({0, 0}), Shape(), Width(2)}},
              {.in = {{2, 0}, Splits({0, 1, 2}), Shape(), Width(2)}},
              {.in = {{9000, 3}, ManySplits(2000, 9000), Shape(), Width(-1)},
               .only = {DType::kF32, DType::kI8}}})
    .rejects(SplitsRejects("RaggedToPadded", {{3}, {}, Shape(), Width(-1)}, 1) +
             std::vector<Reject>{
                 {.in = {{5}, Splits({0, 2, 5}), Shape(), Width(2)},
                  .message = "[RaggedToPadded] row 1 has 3 values; wanted at "
                             "most 2, the width of a padded row"},
                 {.in = {{5}, Splits({0, 2, 4}), Shape(), Width(-1)},
                  .message = "[RaggedToPadded] splits[2] is 4; wanted 5, the "},
                 {.in = {{2}, Splits({0, 2}), Shape(), Width(INT64_MAX)},
                  .message = "[RaggedToPadded] shape [1,9223372036854775807] "},
                 {.in = {{2}, Splits({0, 2}), {1}, Width(-1)},
                  .message = "[RaggedToPadded] fill is f32[1]; wanted rank 0"},
                 {.in = {Shape(), Splits({0}), Shape(), Width(-1)},
                  .message = "[RaggedToPadded] values is f32[]; wanted rank"}});

}  // namespace sluice
