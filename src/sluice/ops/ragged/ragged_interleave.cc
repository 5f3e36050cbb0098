#include "sluice/ops/ragged/splits.h"

namespace sluice {
namespace {

using namespace ragged;

Status Infer(ShapeContext& c) {
  if (c.num_inputs() == 0) return c.Error("no splits; wanted at least one");
  int64_t total = 0, rows = RowsOf(c.in(0));
  for (int i = 0; i < c.num_inputs(); ++i) {
    SL_ASSIGN_OR_RETURN(int64_t end, EndOfRows(c, i));
    int64_t more = RowsOf(c.in(i));
    if (rows >= 0 && more >= 0 && rows != more) {
      return c.Error(StrCat(c.Describe(0), ", ", c.Describe(i),
                            "; wanted equal numbers of rows"));
    }
    if (rows < 0) rows = more;
    if (total < 0 || end < 0) {
      total = kUnknownDim;
    } else if (!CheckedAdd(total, end, &total)) {
      total = INT64_MAX;
    }
  }
  SL_ASSIGN_OR_RETURN(PartialShape from, MakeOutShape(c, Ints{total}));
  c.set_out(0, from);
  SL_ASSIGN_OR_RETURN(PartialShape joined,
                      MakeOutShape(c, Ints{rows < 0 ? rows : rows + 1}));
  c.set_out(1, joined);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  int parts = ctx.num_inputs();
  int64_t rows = ctx.in(0).dim(0) - 1;
  for (int p = 0; p < parts; ++p) {
    SL_RETURN_IF_ERROR(CheckSplits(ctx, p, -1));
  }
  int64_t* from = ctx.out(0).mutable_data<int64_t>();
  int64_t* joined = ctx.out(1).mutable_data<int64_t>();
  for (int64_t r = 0; r <= rows; ++r) {
    joined[r] = 0;
    for (int p = 0; p < parts; ++p) joined[r] += ctx.in(p).data<int64_t>()[r];
  }
  ForRows(ctx.step().pool, rows, joined[rows], [&](int64_t r) {
    int64_t* to = from + joined[r];
    int64_t first = 0;  // of part p among the values of all
    for (int p = 0; p < parts; ++p) {
      const int64_t* splits = ctx.in(p).data<int64_t>();
      for (int64_t i = splits[r]; i < splits[r + 1]; ++i) *to++ = first + i;
      first += splits[rows];
    }
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  Ints from, joined{0};
  for (size_t r = 0; r + 1 < in[0].v.size(); ++r) {
    int64_t first = 0;
    for (const RefArray& part : in) {
      for (int64_t i = At(part, r); i < At(part, r + 1); ++i) {
        from.push_back(first + i);
      }
      first += At(part, part.v.size() - 1);
    }
    joined.push_back(static_cast<int64_t>(from.size()));
  }
  return {RefInts(from), RefInts(joined)};
}

}  // namespace

SL_OP(RaggedInterleave)
    .doc(
        "Ragged arrays joined row by row: row r of the result is row r of the "
        "first, then that of the second, and so on. Gives where among the "
        "values of all, one array's after the other's, each value of the "
        "result lies, and the result's splits.")
    .input("splits: i64*")
    .output("from: i64")
    .output("joined: i64")
    .shape(Infer)
    .cpu(Launch)
    .reference(Reference)
    .samples({{.in = {Splits({0, 2, 2, 5}), Splits({0, 0, 1, 2})}},
              {.in = {Splits({0, 2, 2, 5})}},
              {.in = {Splits({0}), Splits({0}), Splits({0})}},
              {.in = {Splits({0, 1}), Splits({0, 0}), Splits({0, 2})}},
              {.in = {ManySplits(4000, 30000), ManySplits(4000, 25000)}}})
    .rejects(SplitsRejects("RaggedInterleave", {{}}, 0, "splits[0]") +
             std::vector<Reject>{
                 {.in = {}, .message = "[RaggedInterleave] no splits; wanted"},
                 {.in = {Splits({0, 2}), Splits({0, 2, 3})},
                  .message = "[RaggedInterleave] splits[0] is i64[2], splits[1]"
                             " is i64[3]; wanted equal numbers of rows"},
                 {.in = {Splits({0, INT64_MAX}), Splits({0, INT64_MAX})},
                  .message = "[RaggedInterleave] shape [9223372036854775807] "
                             "has too many"}});

}  // namespace sluice
