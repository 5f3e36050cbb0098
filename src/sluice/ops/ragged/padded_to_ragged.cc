#include "sluice/ops/array/array_grad.h"
#include "sluice/ops/ragged/padded_rows.h"

namespace sluice {
namespace {

using namespace ragged;

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 2));
  SL_ASSIGN_OR_RETURN(int64_t end, EndOfRows(c, 1));
  const PartialShape& x = c.in(0);
  int64_t rows = RowsOf(c.in(1)), given = FirstDim(x);
  if (rows >= 0 && given >= 0 && rows != given) {
    return c.Error(StrCat(c.Describe(0), ", ", c.Describe(1), "; wanted ", rows,
                          " padded rows"));
  }
  if (c.value(1) && x.rank_known() && x[1] >= 0) {
    PoolVector<int64_t> splits = IntValues(*c.value(1));
    SL_RETURN_IF_ERROR(CheckWidth(c, {splits.data(), splits.size()}, x[1]));
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, WithFirst(c, {end}, x, 2));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  SL_RETURN_IF_ERROR(CheckSplits(ctx, 1, y.dim(0)));
  SL_RETURN_IF_ERROR(CheckWidth(ctx, ctx.in(1).i64s(), x.dim(1)));
  const int64_t* splits = ctx.in(1).data<int64_t>();
  int64_t inner = InnerOf(y.shape()), size = x.dim(1) * inner;
  ForElementsOf(x.dtype(), [&]<class T>() {
    const T* from = static_cast<const T*>(x.raw());
    T* to = static_cast<T*>(y.mutable_raw());
    ForRows(ctx.step().pool, x.dim(0), y.num_elements(), [&](int64_t r) {
      std::copy_n(from + r * size, (splits[r + 1] - splits[r]) * inner,
                  to + splits[r] * inner);
    });
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  Ints ids = RowIds(in[1]), dims = ref::DimsOf(in[0].shape);
  dims.erase(dims.begin());
  dims[0] = static_cast<int64_t>(ids.size());
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    int64_t row = ids[static_cast<size_t>(index[0])];
    index[0] -= At(in[1], static_cast<size_t>(row));
    index.insert(index.begin(), row);
    return ref::At(in[0], index);
  })};
}

}  // namespace

SL_OP(PaddedToRagged)
    .doc(
        "The values of a ragged array from its padded rows: of each row as "
        "many from the front as its splits say. RaggedToPadded goes back.")
    .input("x: T")
    .input("splits: i64")
    .output("values: T")
    .types("T", kAnyData)
    .shape(Infer)
    .grad([](GradContext& g) {
      GradVar dy = g.dy();
      g.set_dx(0,
               g.call("RaggedToPadded", {dy, g.in(1), g.scalar(0, dy.dtype()),
                                         SizeOfAxis(g, g.in(0), 1)}));
    })
    .cpu(Launch)
    .reference(Reference)
    .samples({{.in = {{3, 4}, Splits({0, 2, 2, 5})}},
              {.in = {{2, 3, 2}, Splits({0, 3, 4})}},
              {.in = {{0, 3}, Splits({0})}},
              {.in = {{2, 0}, Splits({0, 0, 0})}},
              {.in = {{2, 2, 0}, Splits({0, 1, 2})}},
              {.in = {{2000, 13, 3}, ManySplits(2000, 9000)},
               .only = {DType::kF32, DType::kI8}}})
    .rejects(SplitsRejects("PaddedToRagged", {{3, 4}, {}}, 1) +
             std::vector<Reject>{
                 {.in = {{2, 2}, Splits({0, 2, 5})},
                  .message = "[PaddedToRagged] row 1 has 3 values; wanted at "
                             "most 2, the width of a padded row"},
                 {.in = {{2, 2}, Splits({0, 2})},
                  .message = "[PaddedToRagged] x is f32[2,2], splits is i64[2]"
                             "; wanted 1 padded rows"},
                 {.in = {{2}, Splits({0, 2})},
                  .message = "[PaddedToRagged] x is f32[2]; wanted rank 2 "}});

}  // namespace sluice
