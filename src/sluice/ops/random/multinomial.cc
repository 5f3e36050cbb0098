#include <algorithm>
#include <cmath>
#include <limits>

#include "sluice/kernels/cpu/categorical.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/random_fill.h"
#include "sluice/op/batch_rules.h"
#include "sluice/ops/random/draw_op.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(draw_op::Infer(c));
  const PartialShape& x = c.in(0);
  int64_t samples = c.attr<int64_t>("num_samples");
  if (!c.attr<bool>("replacement") && x.rank_known()) {
    int64_t n = x[x.rank() - 1];
    bool any_row = true;
    for (int i = 0; i + 1 < x.rank(); ++i) any_row &= x[i] > 0;
    if (n >= 0 && n < samples && any_row) {
      return c.Error(StrCat(c.Describe(0), "; wanted at least ", samples,
                            " classes to draw from without replacement"));
    }
  }
  return OkStatus();
}

// A class and its arrival time.
struct Turn {
  double when;
  int64_t column;
  bool operator<(const Turn& o) const {
    return when != o.when ? when < o.when : column < o.column;
  }
};

int64_t Workspace(const ShapeContext& c) {
  return c.in(0).ToShape().num_elements() *
         static_cast<int64_t>(sizeof(double) + sizeof(Turn));
}

// Without replacement: every class arrives after an exponential time with its
// weight as the rate, and the first arrivals are drawn.
template <class F>
int64_t DrawFirst(const KernelContext& ctx, const draw_op::Rows& d,
                  const F& weight, double* waits, Turn* turns) {
  FillExponential(random_op::KeyOf(ctx), DType::kF64, d.rows * d.n, waits,
                  ctx.step().pool);
  int64_t* y = ctx.out(0).mutable_data<int64_t>();
  std::atomic<int64_t> short_row{d.rows};
  ParallelFor(
      ctx.step().pool, d.rows, 1 + 512 / d.n, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          Turn* row = turns + r * d.n;
          int64_t count = 0;
          for (int64_t i = 0; i < d.n; ++i) {
            double w = weight(r, i);
            if (!(w > 0)) continue;
            row[count++] = {waits[r * d.n + i] / w, i};
          }
          if (count < d.samples) {
            int64_t before = short_row.load();
            while (r < before && !short_row.compare_exchange_weak(before, r)) {
            }
            return;
          }
          std::partial_sort(row, row + d.samples, row + count);
          for (int64_t s = 0; s < d.samples; ++s) {
            y[r * d.samples + s] = row[s].column;
          }
        }
      });
  return short_row.load();
}

Status Launch(KernelContext& ctx) {
  draw_op::Rows d(ctx);
  if (d.rows * d.samples == 0) return OkStatus();
  auto* sums = static_cast<double*>(ctx.workspace());
  auto* turns = reinterpret_cast<Turn*>(sums + d.rows * d.n);
  Status status;
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    const T* p = ctx.in(0).data<T>();
    auto weight = [&](int64_t r, int64_t i) {
      return static_cast<double>(static_cast<Compute<T>>(p[r * d.n + i]));
    };
    BadWeight bad = RunningSums(d.rows, d.n, sums, ctx.step().pool, weight);
    if (bad.row >= 0 && bad.column >= 0) {
      status = ctx.Error(StrCat("p[", bad.row * d.n + bad.column, "] is ",
                                weight(bad.row, bad.column),
                                "; wanted finite numbers of at least 0"));
    } else if (bad.row >= 0) {
      status = ctx.Error(
          StrCat("row ", bad.row, " of p is all 0; wanted some weight"));
    } else if (ctx.attr<bool>("replacement")) {
      DrawColumns(random_op::KeyOf(ctx), d.rows, d.n, d.samples, sums,
                  ctx.out(0).mutable_data<int64_t>(), ctx.step().pool);
    } else {
      int64_t row = DrawFirst(ctx, d, weight, sums, turns);
      if (row < d.rows) {
        status =
            ctx.Error(StrCat("row ", row, " of p has fewer than ", d.samples,
                             " classes that are not 0; wanted "
                             "that many to draw without replacement"));
      }
    }
  });
  return status;
}

}  // namespace

SL_OP(Multinomial)
    .doc(
        "Classes drawn from rows of weights p (the last axis, not necessarily "
        "adding up to 1), with replacement or, in the order they are drawn, "
        "without. They depend on the session's seed, this op's seed and place "
        "in the graph, and the step, and on nothing else.")
    .input("p: T")
    .input(random_op::kTagInput)
    .output("y: i64")
    .types("T", kFloats)
    .attr("num_samples", AttrKind::kInt, "How many draws of each row.")
    .between(0, int64_t{1} << 40)
    .attr("replacement", false, "Whether a class may be drawn again.")
    .attr("seed", 0, random_op::kSeedDoc)
    .shape(Infer)
    .batch(batch_rules::leading)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .random()
    .samples(
        {{.in = {{10}}, .attrs = {{"num_samples", 10}}, .lo = 0.1, .hi = 1},
         {.in = {{20, 9}}, .attrs = {{"num_samples", 4}}, .lo = 0.1, .hi = 1},
         {.in = {{2, 3, 5}},
          .attrs = {{"num_samples", 20}, {"replacement", true}, {"seed", 4}},
          .lo = 0.1,
          .hi = 1},
         {.in = {{3, 4000}},
          .attrs = {{"num_samples", 1000}},
          .lo = 0.1,
          .hi = 1,
          .only = {DType::kF32}},
         {.in = {Array::Vector<float>({0, 1, 0})},
          .attrs = {{"num_samples", 1}}},
         {.in = {{4, 3}}, .attrs = {{"num_samples", 0}}},
         {.in = {{0, 3}}, .attrs = {{"num_samples", 2}}}})
    .rejects({{.in = {Array::Vector<float>({1, -1})},
               .attrs = {{"num_samples", 1}},
               .message = "[Multinomial] p[1] is -1; wanted finite numbers of "
                          "at least 0"},
              {.in = {Array::Vector<float>({NAN})},
               .attrs = {{"num_samples", 1}},
               .message = "[Multinomial] p[0] is nan; wanted finite"},
              {.in = {Array::Of<float>({2, 1}, {1, 0})},
               .attrs = {{"num_samples", 1}},
               .message = "[Multinomial] row 1 of p is all 0; wanted some "
                          "weight"},
              {.in = {Array::Vector<float>({1, 0, 1})},
               .attrs = {{"num_samples", 3}},
               .message = "[Multinomial] row 0 of p has fewer than 3 classes "
                          "that are not 0"},
              {.in = {{3}},
               .attrs = {{"num_samples", 4}},
               .message = "[Multinomial] p is f32[3]; wanted at least 4 "
                          "classes to draw from without replacement"},
              {.in = {{2, 0}},
               .attrs = {{"num_samples", 1}, {"replacement", true}},
               .message = "[Multinomial] p is f32[2,0]; wanted at least one "
                          "class"},
              {.in = {Shape()},
               .attrs = {{"num_samples", 1}},
               .message = "[Multinomial] p is f32[]; wanted rank 1 or more"}});

}  // namespace sluice
