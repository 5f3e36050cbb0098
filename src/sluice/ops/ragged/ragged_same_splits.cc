#include "sluice/ops/ragged/splits.h"

namespace sluice {
namespace {

using namespace ragged;

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(EndOfRows(c, 0).status());
  SL_RETURN_IF_ERROR(EndOfRows(c, 1).status());
  int64_t a = RowsOf(c.in(0)), b = RowsOf(c.in(1));
  if (a >= 0 && b >= 0 && a != b) {
    return c.Error(StrCat(c.Describe(0), ", ", c.Describe(1),
                          "; wanted equal numbers of rows"));
  }
  c.set_out(0, a >= 0 ? c.in(0) : c.in(1));
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  std::span<const int64_t> a = ctx.in(0).i64s(), b = ctx.in(1).i64s();
  SL_RETURN_IF_ERROR(CheckSplits(ctx, 0, -1));
  SL_RETURN_IF_ERROR(CheckSplits(ctx, 1, -1));
  for (size_t r = 0; r + 1 < a.size(); ++r) {
    if (a[r + 1] == b[r + 1]) continue;
    return ctx.Error(StrCat("row ", r, " has ", a[r + 1] - a[r],
                            " values in a and ", b[r + 1] - b[r],
                            " in b; wanted equal rows"));
  }
  std::copy(a.begin(), a.end(), ctx.out(0).mutable_data<int64_t>());
  return OkStatus();
}

}  // namespace

SL_OP(RaggedSameSplits)
    .doc(
        "The splits of two ragged arrays, checked to be equal, as those of "
        "arrays must be that are combined value by value.")
    .input("a: i64")
    .input("b: i64")
    .output("y: i64")
    .shape(Infer)
    .cpu(Launch)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{in[0]};
    })
    .samples({{.in = {Splits({0, 2, 2, 5}), Splits({0, 2, 2, 5})}},
              {.in = {Splits({0}), Splits({0})}}})
    .rejects(
        SplitsRejects("RaggedSameSplits", {{}, Splits({0, 3})}, 0, "a") +
        SplitsRejects("RaggedSameSplits", {Splits({0, 3}), {}}, 1, "b") +
        std::vector<Reject>{
            {.in = {Splits({0, 2, 5}), Splits({0, 3, 5})},
             .message = "[RaggedSameSplits] row 0 has 2 values in a and 3 in "
                        "b; wanted equal rows"},
            {.in = {Splits({0, 2}), Splits({0, 2, 2})},
             .message = "[RaggedSameSplits] a is i64[2], b is i64[3]; wanted "
                        "equal numbers of rows"}});

}  // namespace sluice
