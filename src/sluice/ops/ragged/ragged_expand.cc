#include "sluice/ops/array/array_grad.h"
#include "sluice/ops/ragged/splits.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

using namespace ragged;

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  SL_ASSIGN_OR_RETURN(int64_t end, EndOfRows(c, 1));
  int64_t rows = RowsOf(c.in(1)), given = FirstDim(c.in(0));
  if (rows >= 0 && given >= 0 && rows != given) {
    return c.Error(StrCat(c.Describe(0), ", ", c.Describe(1),
                          "; wanted one slice for each of ", rows, " rows"));
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, WithFirst(c, {end}, c.in(0)));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  SL_RETURN_IF_ERROR(CheckSplits(ctx, 1, y.dim(0)));
  if (y.num_elements() == 0) return OkStatus();
  const int64_t* splits = ctx.in(1).data<int64_t>();
  int64_t inner = InnerOf(x.shape());
  auto run = [&]<class T>() {
    const T* from = static_cast<const T*>(x.raw());
    T* to = static_cast<T*>(y.mutable_raw());
    ForRows(ctx.step().pool, x.dim(0), y.num_elements(), [&](int64_t r) {
      for (int64_t i = splits[r]; i < splits[r + 1]; ++i) {
        std::copy_n(from + r * inner, inner, to + i * inner);
      }
    });
  };
  if (!DispatchBySize(x.dtype(), run)) run.template operator()<std::string>();
  return OkStatus();
}

}  // namespace

SL_OP(RaggedExpand)
    .doc(
        "Slice r of x for every value of row r of a ragged array: what is "
        "known of rows, broadcast to their values.")
    .input("x: T")
    .input("splits: i64")
    .output("y: T")
    .types("T", kAnyData)
    .shape(Infer)
    .grad([](GradContext& g) {
      GradVar ids = g.call("RaggedRowIds", {g.in(1)});
      g.set_dx(0, g.call("UnsortedSegmentSum",
                         {g.dy(), ids, SizeOfAxis(g, g.in(0), 0)}));
    })
    .cpu(Launch)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      Ints ids = RowIds(in[1]), dims = ref::DimsOf(in[0].shape);
      dims[0] = static_cast<int64_t>(ids.size());
      return std::vector<RefArray>{
          ref::Build(ref::MakeShape(dims), [&](Ints index) {
            index[0] = ids[static_cast<size_t>(index[0])];
            return ref::At(in[0], index);
          })};
    })
    .samples({{.in = {{3}, Splits({0, 2, 2, 5})}},
              {.in = {{2, 3}, Splits({0, 1, 4})}},
              {.in = {{2, 2}, Splits({0, 0, 0})}},
              {.in = {{0, 3}, Splits({0})}},
              {.in = {{2, 0}, Splits({0, 1, 3})}},
              {.in = {{3000, 3}, ManySplits(3000, 20000)},
               .only = {DType::kF32, DType::kI8}}})
    .rejects(SplitsRejects("RaggedExpand", {{3}, {}}, 1) +
             std::vector<Reject>{
                 {.in = {{3}, Splits({0, 2, 4})},
                  .message = "[RaggedExpand] x is f32[3], splits is i64[3]; "
                             "wanted one slice for each of 2 rows"},
                 {.in = {{2}, Splits({0, 2, INT64_MAX})},
                  .message = "[RaggedExpand] shape [9223372036854775807] has "},
                 {.in = {Shape(), Splits({0, 2})},
                  .message = "[RaggedExpand] x is f32[]; wanted rank 1 or"}});

}  // namespace sluice
