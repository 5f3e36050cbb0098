#include "sluice/ops/ragged/row_pairs.h"

namespace sluice {
namespace {

using namespace ragged;

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 2));
  SL_RETURN_IF_ERROR(c.WantRank(1, 2));
  const PartialShape &q = c.in(0), &k = c.in(1);
  if (q.rank_known() && k.rank_known() && q[1] >= 0 && k[1] >= 0 &&
      q[1] != k[1]) {
    return c.Error(StrCat("inner sizes differ: ", c.Describe(0), ", ",
                          c.Describe(1), "; wanted q.dim(1) == k.dim(1)"));
  }
  SL_ASSIGN_OR_RETURN(PairSizes n, PairSizesOf(c, FirstDim(q), FirstDim(k)));
  SL_ASSIGN_OR_RETURN(PartialShape scores, MakeOutShape(c, Ints{n.pairs}));
  c.set_out(0, scores);
  int64_t queries = n.queries < 0 ? FirstDim(q) : n.queries;
  SL_ASSIGN_OR_RETURN(
      PartialShape splits,
      MakeOutShape(c, Ints{queries < 0 ? queries : queries + 1}));
  c.set_out(1, splits);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array &q = ctx.in(0), &k = ctx.in(1), &scores = ctx.out(0);
  SL_RETURN_IF_ERROR(CheckSplits(ctx, 2, q.dim(0)));
  SL_RETURN_IF_ERROR(CheckSplits(ctx, 3, k.dim(0)));
  int64_t* splits = ctx.out(1).mutable_data<int64_t>();
  int64_t d = q.dim(1);
  splits[0] = 0;
  ForRowPairs(ctx, d, [&](const RowPair& row) {
    for (int64_t i = 1; i <= row.m; ++i) {
      splits[row.q + i] = row.p + i * row.n;
    }
    if (row.m == 0 || row.n == 0) return;
    GemmArgs g{.m = row.m,
               .n = row.n,
               .k = d,
               .a = {ElementAt(q, row.q * d), d},
               .b = {ElementAt(k, row.k * d), d, true},
               .c = ElementAt(scores, row.p),
               .ldc = row.n};
    Gemm(GemmTypeOf(q.dtype()), g, ctx.step().pool);
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  RefArray scores;
  Ints splits(static_cast<size_t>(in[0].shape.dim(0)) + 1, 0);
  ForEachPair(in[2], in[3], [&](int64_t i, int64_t j, size_t) {
    double sum = 0;
    for (int64_t e = 0; e < in[0].shape.dim(1); ++e) {
      sum += ref::At(in[0], {i, e}) * ref::At(in[1], {j, e});
    }
    scores.v.push_back(sum);
    ++splits[static_cast<size_t>(i) + 1];
  });
  for (size_t i = 1; i < splits.size(); ++i) splits[i] += splits[i - 1];
  scores.shape = Shape({static_cast<int64_t>(scores.v.size())});
  return {scores, RefInts(splits)};
}

}  // namespace

SL_OP(RaggedScores)
    .doc(
        "Inner products of vectors of two ragged arrays, row by row: of every "
        "vector of row r of q with every one of row r of k, and with no other. "
        "Also the splits of the result by vector of q, whose row it is then.")
    .input("q: T")
    .input("k: T")
    .input("q_splits: i64")
    .input("k_splits: i64")
    .output("scores: T")
    .output("splits: i64")
    .types("T", kFloats)
    .shape(Infer)
    .grad([](GradContext& g) {
      auto mix = [&](GradVar x, bool transpose) {
        return g.call("RaggedMix", {g.dy(), x, g.in(2), g.in(3), g.out(1)},
                      {{"transpose", transpose}});
      };
      if (g.wants(0)) g.set_dx(0, mix(g.in(1), false));
      if (g.wants(1)) g.set_dx(1, mix(g.in(0), true));
    })
    .cpu(Launch)
    .cpu_workspace(PairWorkspace)
    .tolerance(1e-5)
    .reference(Reference)
    .samples(
        {{.in = {{4, 3}, {5, 3}, Splits({0, 1, 1, 4}), Splits({0, 2, 3, 5})}},
         {.in = {{3, 2}, {2, 2}, Splits({0, 3, 3}), Splits({0, 0, 2})}},
         {.in = {{2, 0}, {2, 0}, Splits({0, 1, 2}), Splits({0, 1, 2})}},
         {.in = {{0, 3}, {0, 3}, Splits({0}), Splits({0})}},
         {.in =
              {{700, 9}, {600, 9}, ManySplits(100, 700), ManySplits(100, 600)},
          .only = {DType::kF32, DType::kBF16}}})
    .rejects(
        SplitsRejects("RaggedScores", {{3, 2}, {3, 2}, {}, Splits({0, 3})}, 2,
                      "q_splits") +
        SplitsRejects("RaggedScores", {{3, 2}, {3, 2}, Splits({0, 3}), {}}, 3,
                      "k_splits") +
        std::vector<Reject>{
            {.in = {{3, 2}, {3, 4}, Splits({0, 3}), Splits({0, 3})},
             .message = "[RaggedScores] inner sizes differ: q is f32[3,2], k "
                        "is f32[3,4]; wanted q.dim(1) == k.dim(1)"},
            {.in = {{3, 2}, {3, 2}, Splits({0, 3}), Splits({0, 1, 3})},
             .message = "[RaggedScores] q_splits is i64[2], k_splits is "
                        "i64[3]; wanted equal numbers of rows"},
            {.in = {{3, 2}, {3, 2}, Splits({0, 3}), Splits({0, 2})},
             .message = "[RaggedScores] k_splits[1] is 2; wanted 3, the"},
            {.in = {{3}, {3, 2}, Splits({0, 3}), Splits({0, 3})},
             .message = "[RaggedScores] q is f32[3]; wanted rank 2"}});

}  // namespace sluice
