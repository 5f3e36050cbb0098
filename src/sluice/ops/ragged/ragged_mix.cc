#include "sluice/ops/ragged/row_pairs.h"

namespace sluice {
namespace {

using namespace ragged;

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 1));
  SL_RETURN_IF_ERROR(c.WantRank(1, 2));
  bool transpose = c.attr<bool>("transpose");
  int64_t given = FirstDim(c.in(1)), weights = FirstDim(c.in(0));
  SL_ASSIGN_OR_RETURN(PairSizes n,
                      PairSizesOf(c, transpose ? given : kUnknownDim,
                                  transpose ? kUnknownDim : given));
  SL_RETURN_IF_ERROR(EndOfRows(c, 4, weights).status());
  int64_t vectors = RowsOf(c.in(4));
  if (n.queries >= 0 && vectors >= 0 && n.queries != vectors) {
    return c.Error(StrCat(c.Describe(4), "; wanted ", n.queries + 1,
                          ", one more than there are queries"));
  }
  SL_ASSIGN_OR_RETURN(PartialShape out,
                      WithFirst(c, {transpose ? n.keys : n.queries}, c.in(1)));
  c.set_out(0, out);
  return OkStatus();
}

// Every query has a weight for each key of its row.
Status CheckWeights(const KernelContext& ctx) {
  std::span<const int64_t> q = ctx.in(2).i64s(), k = ctx.in(3).i64s();
  const int64_t* w = ctx.in(4).data<int64_t>();
  for (size_t r = 0; r + 1 < q.size(); ++r) {
    int64_t keys = k[r + 1] - k[r];
    for (int64_t i = q[r]; i < q[r + 1]; ++i) {
      if (w[i + 1] - w[i] == keys) continue;
      return ctx.Error(StrCat("query ", i, " has ", w[i + 1] - w[i],
                              " weights; wanted ", keys,
                              ", one for each key of row ", r));
    }
  }
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array &w = ctx.in(0), &x = ctx.in(1), &y = ctx.out(0);
  bool transpose = ctx.attr<bool>("transpose");
  SL_RETURN_IF_ERROR(CheckSplits(ctx, 2, (transpose ? x : y).dim(0)));
  SL_RETURN_IF_ERROR(CheckSplits(ctx, 3, (transpose ? y : x).dim(0)));
  SL_RETURN_IF_ERROR(CheckSplits(ctx, 4, w.dim(0)));
  SL_RETURN_IF_ERROR(CheckWeights(ctx));
  int64_t d = x.dim(1);
  if (y.num_elements() == 0) return OkStatus();
  ForRowPairs(ctx, d, [&](const RowPair& row) {
    int64_t from = transpose ? row.q : row.k, to = transpose ? row.k : row.q;
    GemmArgs g{.m = transpose ? row.n : row.m,
               .n = d,
               .k = transpose ? row.m : row.n,
               .a = {ElementAt(w, row.p), row.n, transpose},
               .b = {ElementAt(x, from * d), d},
               .c = ElementAt(y, to * d),
               .ldc = d};
    if (g.m == 0) return;
    if (g.k == 0) {
      std::fill_n(ElementAt(y, to * d), g.m * d * DTypeSize(y.dtype()), 0);
      return;
    }
    Gemm(GemmTypeOf(x.dtype()), g, ctx.step().pool);
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  bool transpose = attrs.get<bool>("transpose");
  int64_t d = in[1].shape.dim(1);
  RefArray y = ref::Build(
      Shape({static_cast<int64_t>(in[transpose ? 3 : 2].v.back()), d}),
      [](const Ints&) { return 0.0; });
  ForEachPair(in[2], in[3], [&](int64_t i, int64_t j, size_t pair) {
    int64_t from = transpose ? i : j, to = transpose ? j : i;
    for (int64_t e = 0; e < d; ++e) {
      y.v[static_cast<size_t>(to * d + e)] +=
          in[0].v[pair] * ref::At(in[1], {from, e});
    }
  });
  return {y};
}

// The splits of n rows of equal length.
Array EvenSplits(int64_t n, int64_t each) {
  Array splits = Array::Zeros(DType::kI64, Shape({n + 1}));
  for (int64_t i = 0; i <= n; ++i) {
    splits.mutable_data<int64_t>()[i] = i * each;
  }
  return splits;
}

constexpr bool kTransposed = true;
Attrs How(bool transpose) { return {{"transpose", transpose}}; }

}  // namespace

SL_OP(RaggedMix)
    .doc(
        "Weighted sums of the vectors of a ragged array, row by row: for query "
        "i of row r the sum of w(i, j) x(j) over all keys j of row r, where w "
        "has one number for each such pair, as RaggedScores gives them with "
        "their splits. "
        "Without keys it is 0. Transposed, x belongs to queries and the sums "
        "to keys.")
    .input("w: T")
    .input("x: T")
    .input("q_splits: i64")
    .input("k_splits: i64")
    .input("w_splits: i64")
    .output("y: T")
    .types("T", kFloats)
    .attr("transpose", false, "Sum over queries, for each key.")
    .shape(Infer)
    .grad([](GradContext& g) {
      bool transpose = g.attr<bool>("transpose");
      GradVar dy = g.dy(), x = g.in(1);
      if (g.wants(0)) {
        GradVar in[] = {transpose ? x : dy, transpose ? dy : x, g.in(2),
                        g.in(3)};
        GradVars scores = g.call_all("RaggedScores", in);
        if (!scores.empty()) g.set_dx(0, scores[0]);
      }
      if (g.wants(1)) {
        g.set_dx(1,
                 g.call("RaggedMix", {g.in(0), dy, g.in(2), g.in(3), g.in(4)},
                        How(!transpose)));
      }
    })
    .cpu(Launch)
    .cpu_workspace(PairWorkspace)
    .tolerance(1e-5)
    .reference(Reference)
    .samples({{.in = {{7},
                      {5, 3},
                      Splits({0, 1, 1, 3}),
                      Splits({0, 3, 3, 5}),
                      Splits({0, 3, 5, 7})}},
              {.in = {{7},
                      {3, 3},
                      Splits({0, 1, 1, 3}),
                      Splits({0, 3, 3, 5}),
                      Splits({0, 3, 5, 7})},
               .attrs = How(kTransposed)},
              {.in = {{0},
                      {2, 2},
                      Splits({0, 3, 3}),
                      Splits({0, 0, 2}),
                      Splits({0, 0, 0, 0})}},
              {.in = {{0},
                      {3, 2},
                      Splits({0, 3, 3}),
                      Splits({0, 0, 2}),
                      Splits({0, 0, 0, 0})},
               .attrs = How(kTransposed)},
              {.in = {{2},
                      {2, 0},
                      Splits({0, 1, 2}),
                      Splits({0, 1, 2}),
                      Splits({0, 1, 2})}},
              {.in = {{0}, {0, 3}, Splits({0}), Splits({0}), Splits({0})}},
              {.in = {{2400},
                      {60, 17},
                      Splits({0, 40, 80}),
                      Splits({0, 30, 60}),
                      EvenSplits(80, 30)},
               .only = {DType::kF32, DType::kBF16}},
              {.in = {{2400},
                      {80, 17},
                      Splits({0, 40, 80}),
                      Splits({0, 30, 60}),
                      EvenSplits(80, 30)},
               .attrs = How(kTransposed),
               .only = {DType::kF32}}})
    .rejects(
        SplitsRejects("RaggedMix",
                      {{9}, {3, 2}, {}, Splits({0, 3}), EvenSplits(3, 3)}, 2,
                      "q_splits") +
        SplitsRejects("RaggedMix",
                      {{9}, {3, 2}, Splits({0, 3}), {}, EvenSplits(3, 3)}, 3,
                      "k_splits") +
        SplitsRejects("RaggedMix",
                      {{3}, {3, 2}, Splits({0, 1}), Splits({0, 3}), {}}, 4,
                      "w_splits") +
        std::vector<Reject>{
            {.in = {{5},
                    {3, 2},
                    Splits({0, 2}),
                    Splits({0, 3}),
                    Splits({0, 3, 5})},
             .message = "[RaggedMix] query 1 has 2 weights; wanted 3, one for "
                        "each key of row 0"},
            {.in = {{5},
                    {3, 2},
                    Splits({0, 2}),
                    Splits({0, 3}),
                    Splits({0, 3, 6})},
             .message = "[RaggedMix] w_splits[2] is 6; wanted 5, the number"},
            {.in =
                 {{6}, {3, 2}, Splits({0, 2}), Splits({0, 3}), Splits({0, 6})},
             .message = "[RaggedMix] w_splits is i64[2]; wanted 3, one more "
                        "than there are queries"},
            {.in = {{6},
                    {4, 2},
                    Splits({0, 2}),
                    Splits({0, 3}),
                    Splits({0, 3, 6})},
             .message = "[RaggedMix] k_splits[1] is 3; wanted 4, the"},
            {.in = {{6},
                    {3, 2},
                    Splits({0, 2}),
                    Splits({0, 2, 3}),
                    Splits({0, 3, 6})},
             .message = "[RaggedMix] q_splits is i64[2], k_splits is i64[3]; "
                        "wanted equal numbers of rows"},
            {.in =
                 {{6}, {6}, Splits({0, 2}), Splits({0, 3}), Splits({0, 3, 6})},
             .message = "[RaggedMix] x is f32[6]; wanted rank 2"}});

}  // namespace sluice
