#include "sluice/kernels/cpu/indices.h"
#include "sluice/ops/ragged/splits.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

using namespace ragged;

// The total number of values of the rows; an error for a row that does not
// exist.
Result<int64_t> Taken(const ShapeContext& c) {
  PoolVector<int64_t> splits = IntValues(*c.value(0));
  PoolVector<int64_t> rows = IntValues(*c.value(1));
  auto count = static_cast<int64_t>(splits.size()) - 1;
  int64_t total = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= count) {
      return c.Error(
          StrCat("rows[", i, "] is ", rows[i], "; wanted 0 <= row < ", count));
    }
    auto r = static_cast<size_t>(rows[i]);
    if (!CheckedAdd(total, splits[r + 1] - splits[r], &total)) {
      total = INT64_MAX;
    }
  }
  return total;
}

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(EndOfRows(c, 0).status());
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  int64_t total = kUnknownDim, rows = FirstDim(c.in(1));
  if (c.value(0) && c.value(1)) {
    SL_ASSIGN_OR_RETURN(total, Taken(c));
  }
  SL_ASSIGN_OR_RETURN(PartialShape from, MakeOutShape(c, Ints{total}));
  c.set_out(0, from);
  SL_ASSIGN_OR_RETURN(PartialShape taken,
                      MakeOutShape(c, Ints{rows < 0 ? rows : rows + 1}));
  c.set_out(1, taken);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(CheckSplits(ctx, 0, -1));
  SL_RETURN_IF_ERROR(CheckIndices(ctx, 1, ctx.in(0).dim(0) - 1));
  const int64_t* splits = ctx.in(0).data<int64_t>();
  int64_t* from = ctx.out(0).mutable_data<int64_t>();
  int64_t* taken = ctx.out(1).mutable_data<int64_t>();
  int64_t count = ctx.in(1).num_elements();
  DispatchIndex(ctx.in(1).dtype(), [&]<class I>() {
    const I* rows = ctx.in(1).data<I>();
    taken[0] = 0;
    for (int64_t i = 0; i < count; ++i) {
      taken[i + 1] = taken[i] + splits[rows[i] + 1] - splits[rows[i]];
    }
    ForRows(ctx.step().pool, count, taken[count], [&](int64_t i) {
      int64_t shift = splits[rows[i]] - taken[i];
      for (int64_t k = taken[i]; k < taken[i + 1]; ++k) from[k] = k + shift;
    });
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  Ints from, taken{0};
  for (double row : in[1].v) {
    auto r = static_cast<size_t>(row);
    for (int64_t i = At(in[0], r); i < At(in[0], r + 1); ++i) from.push_back(i);
    taken.push_back(static_cast<int64_t>(from.size()));
  }
  return {RefInts(from), RefInts(taken)};
}

}  // namespace

SL_OP(RaggedTake)
    .doc(
        "Rows of a ragged array picked by number: where in the values each "
        "value of the picked rows lies (to be gathered), and the splits of "
        "the result. A row may be picked several times.")
    .input("splits: i64")
    .input("rows: I")
    .output("from: i64")
    .output("taken: i64")
    .types("I", kIndices)
    .shape(Infer)
    .cpu(Launch)
    .reference(Reference)
    .samples({{.in = {Splits({0, 2, 2, 5}), {6}}, .lo = 0, .hi = 2},
              {.in = {Splits({0, 2, 2, 5}), Splits({2, 1, 2, 0})}},
              {.in = {Splits({0, 3}), {0}}},
              {.in = {Splits({0}), {0}}},
              {.in = {Splits({0, 0, 0}), Splits({1, 1})}},
              {.in = {ManySplits(3000, 20000), {9000}}, .lo = 0, .hi = 2999}})
    .rejects(SplitsRejects("RaggedTake", {{}, Splits({0})}, 0) +
             std::vector<Reject>{
                 {.in = {Splits({0, 2, 4}), Splits({0, 2})},
                  .message = "[RaggedTake] rows[1] is 2; wanted 0 <= row < 2"},
                 {.in = {Splits({0, 2, 4}), Splits({-1})},
                  .message = "[RaggedTake] rows[0] is -1; wanted 0 <= row < 2"},
                 {.in = {Splits({0}), Array::Vector<int32_t>({0})},
                  .message = "[RaggedTake] rows[0] is 0; wanted 0 <= row < 0"},
                 {.in = {Splits({0, INT64_MAX}), Splits({0, 0})},
                  .message = "[RaggedTake] shape [9223372036854775807] has "},
                 {.in = {Splits({0, 1}), Array::Scalar<int64_t>(0)},
                  .message = "[RaggedTake] rows is i64[]; wanted rank 1"}});

}  // namespace sluice
