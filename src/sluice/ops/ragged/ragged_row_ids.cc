#include "sluice/ops/ragged/splits.h"

namespace sluice {
namespace {

using namespace ragged;

Status Infer(ShapeContext& c) {
  SL_ASSIGN_OR_RETURN(int64_t end, EndOfRows(c, 0));
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, Ints{end}));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  SL_RETURN_IF_ERROR(CheckSplits(ctx, 0, y.num_elements()));
  const int64_t* splits = ctx.in(0).data<int64_t>();
  int64_t* ids = y.mutable_data<int64_t>();
  ForRows(
      ctx.step().pool, ctx.in(0).dim(0) - 1, y.num_elements(),
      [&](int64_t r) { std::fill(ids + splits[r], ids + splits[r + 1], r); });
  return OkStatus();
}

}  // namespace

SL_OP(RaggedRowIds)
    .doc("The row of every value of a ragged array, from its splits.")
    .input("splits: i64")
    .output("ids: i64")
    .shape(Infer)
    .cpu(Launch)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{RefInts(RowIds(in[0]))};
    })
    .samples({{.in = {Splits({0, 2, 2, 5})}},
              {.in = {Splits({0, 0, 0})}},
              {.in = {Splits({0})}},
              {.in = {ManySplits(9000, 60000)}}})
    .rejects(SplitsRejects("RaggedRowIds", {{}}, 0) +
             std::vector<Reject>{
                 {.in = {Splits({0, INT64_MAX})},
                  .message = "[RaggedRowIds] shape [9223372036854775807] has "
                             "too many"}});

}  // namespace sluice
