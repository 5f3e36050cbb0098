#include "sluice/kernels/cpu/categorical.h"

#include <cmath>
#include <limits>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/strict_math.h"
#include "sluice/op/batch_rules.h"
#include "sluice/ops/random/draw_op.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

int64_t Workspace(const ShapeContext& c) {
  return c.in(0).ToShape().num_elements() * 8;
}

template <class T>
BadWeight Sums(const KernelContext& ctx, int64_t rows, int64_t n,
               double* sums) {
  using C = Compute<T>;
  const T* x = ctx.in(0).data<T>();
  // The largest logit of each row is stored in the last place of its sums,
  // where it is read before the sum is written.
  auto at = [&](int64_t r, int64_t i) {
    return static_cast<double>(static_cast<C>(x[r * n + i]));
  };
  ParallelFor(ctx.step().pool, rows, n > 0 ? 1 + 4096 / n : 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t r = begin; r < end; ++r) {
                  double largest = -std::numeric_limits<double>::infinity();
                  for (int64_t i = 0; i < n; ++i) {
                    largest = at(r, i) > largest ? at(r, i) : largest;
                  }
                  sums[r * n + n - 1] = largest;
                }
              });
  return RunningSums(rows, n, sums, ctx.step().pool, [&](int64_t r, int64_t i) {
    double v = at(r, i), largest = sums[r * n + n - 1];
    if (v == -std::numeric_limits<double>::infinity()) return 0.0;
    if (!std::isfinite(v)) return v < 0 || v > 0 ? -1.0 : v;
    return StrictExp(v - largest);
  });
}

Status Launch(KernelContext& ctx) {
  draw_op::Rows d(ctx);
  if (d.rows * d.samples == 0) return OkStatus();
  auto* sums = static_cast<double*>(ctx.workspace());
  BadWeight bad;
  DispatchFloats(ctx.in(0).dtype(),
                 [&]<class T>() { bad = Sums<T>(ctx, d.rows, d.n, sums); });
  if (bad.row >= 0) {
    return ctx.Error(
        bad.column >= 0
            ? StrCat("logits[", bad.row * d.n + bad.column,
                     "] is not finite; wanted finite numbers or minus infinity")
            : StrCat("row ", bad.row,
                     " of logits has no number above minus infinity"));
  }
  DrawColumns(random_op::KeyOf(ctx), d.rows, d.n, d.samples, sums,
              ctx.out(0).mutable_data<int64_t>(), ctx.step().pool);
  return OkStatus();
}

constexpr float kInf = std::numeric_limits<float>::infinity();

}  // namespace

SL_OP(Categorical)
    .doc(
        "Classes drawn from rows of logits (logarithms of weights, the last "
        "axis), each draw independent. They depend on the session's seed, this "
        "op's seed and place in the graph, and the step, and on nothing else.")
    .input("logits: T")
    .input(random_op::kTagInput)
    .output("y: i64")
    .types("T", kFloats)
    .attr("num_samples", 1, "How many draws of each row.")
    .between(0, int64_t{1} << 40)
    .attr("seed", 0, random_op::kSeedDoc)
    .shape(draw_op::Infer)
    .batch(batch_rules::leading)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .random()
    .samples({{.in = {{10}}, .attrs = {{"num_samples", 40}}},
              {.in = {{20, 8}}, .attrs = {{"num_samples", 3}}},
              {.in = {{2, 3, 5}}, .attrs = {{"num_samples", 2}, {"seed", 1}}},
              {.in = {{3, 4000}},
               .attrs = {{"num_samples", 700}},
               .only = {DType::kF32}},
              {.in = {Array::Vector<float>({0, -kInf, 0})},
               .attrs = {{"num_samples", 5}}},
              {.in = {{4, 3}}, .attrs = {{"num_samples", 0}}},
              {.in = {{0, 3}}},
              {.in = {{0, 0}}}})
    .rejects({{.in = {Array::Vector<float>({0, kInf})},
               .message = "[Categorical] logits[1] is not finite"},
              {.in = {Array::Vector<double>({NAN, 0})},
               .message = "[Categorical] logits[0] is not finite"},
              {.in = {Array::Of<float>({2, 1}, {0, -kInf})},
               .message = "[Categorical] row 1 of logits has no number above "
                          "minus infinity"},
              {.in = {{2, 0}},
               .message = "[Categorical] logits is f32[2,0]; wanted at least "
                          "one class"},
              {.in = {Shape()},
               .message = "[Categorical] logits is f32[]; wanted rank 1 or "
                          "more"}});

}  // namespace sluice
