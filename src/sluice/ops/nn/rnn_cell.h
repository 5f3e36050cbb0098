// Shared by the recurrent cells: rows of `size` cells, with adjacent gates.
#pragma once

#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice::rnn {

// Inputs are [rows, size] or, where gates[i] > 1, [rows, gates[i] size]. Gives
// the shape of a state.
template <size_t N>
Status CheckShapes(const ShapeContext& c, const int (&gates)[N],
                   PartialShape* state) {
  int64_t rows = kUnknownDim, size = kUnknownDim;
  for (size_t k = 0; k < N; ++k) {
    int i = static_cast<int>(k);
    SL_RETURN_IF_ERROR(c.WantRank(i, 2));
    if (!c.in(i).rank_known()) continue;
    if (rows < 0) rows = c.in(i)[0];
    int64_t width = c.in(i)[1];
    if (size < 0 && width >= 0 && width % gates[k] == 0) {
      size = width / gates[k];
    }
  }
  for (size_t k = 0; k < N; ++k) {
    const PartialShape& in = c.in(static_cast<int>(k));
    if (!in.rank_known()) continue;
    int64_t want = size < 0 ? kUnknownDim : size * gates[k];
    if ((in[0] >= 0 && rows >= 0 && in[0] != rows) ||
        (in[1] >= 0 && (want >= 0 ? in[1] != want : in[1] % gates[k] != 0))) {
      return c.Error(StrCat(c.Describe(static_cast<int>(k)), "; wanted [",
                            rows < 0 ? "rows" : StrCat(rows), ",",
                            want < 0 ? StrCat(gates[k], " size") : StrCat(want),
                            "]"));
    }
  }
  const int64_t dims[] = {rows < 0 ? kUnknownDim : rows, size};
  SL_ASSIGN_OR_RETURN(*state, PartialShape::Make(dims));
  return OkStatus();
}

// [rows, gates size] for outputs.
inline Result<PartialShape> GatesShape(const ShapeContext& c,
                                       const PartialShape& state,
                                       int64_t gates) {
  const int64_t dims[] = {state[0],
                          state[1] < 0 ? kUnknownDim : state[1] * gates};
  return MakeOutShape(c, dims);
}

// Calls row(r) for all rows, in parallel.
template <class F>
void ForRows(KernelContext& ctx, int64_t rows, int64_t size, F row) {
  ParallelFor(ctx.step().pool, rows, (1 << 11) / (size + 1) + 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t r = begin; r < end; ++r) row(r);
              });
}

// For gradient rules: splits adjacent gates and joins them again.
inline GradVars Gates(GradContext& g, GradVar all, int64_t count) {
  auto gates = g.call_all("Split", {&all, 1}, {{"num", count}, {"axis", 1}});
  gates.resize(static_cast<size_t>(count));  // undefined after an error
  return gates;
}
inline GradVar Joined(GradContext& g, std::initializer_list<GradVar> gates) {
  return g.call("Concat", gates, {{"axis", 1}});
}
inline GradVar BySigmoid(GradVar dy, GradVar y) {
  return dy ? dy.context()->call("SigmoidGrad", {dy, y}) : GradVar();
}
inline GradVar ByTanh(GradVar dy, GradVar y) {
  return dy ? dy.context()->call("TanhGrad", {dy, y}) : GradVar();
}

inline double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace sluice::rnn
