// Softmax along the rows of a ragged array and related ops: the loops of the
// dense ones (kernels/cpu/softmax_loops.h), one row at a time. Empty rows are
// skipped.
#pragma once

#include <cmath>

#include "sluice/kernels/cpu/softmax_loops.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/ragged/splits.h"
#include "sluice/tensor/dispatch.h"

namespace sluice::ragged {

// Splits are the last input; those before it are alike, and so is the output.
inline Status SoftmaxShape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  int splits = c.num_inputs() - 1;
  PartialShape x = c.in(0);
  if (splits == 2) {
    Result<PartialShape> both = MergeShapes(c.in(0), c.in(1));
    if (!both.ok()) {
      return c.Error(StrCat("shapes differ: ", c.Describe(0), ", ",
                            c.Describe(1), "; wanted equal shapes"));
    }
    x = *both;
  }
  SL_RETURN_IF_ERROR(EndOfRows(c, splits, FirstDim(x)).status());
  c.set_out(0, x);
  return OkStatus();
}

template <template <class> class Rows, template <class> class Columns>
Status SoftmaxKernel(KernelContext& ctx) {
  const Array& out = ctx.out(0);
  int last = ctx.num_inputs() - 1;
  SL_RETURN_IF_ERROR(CheckSplits(ctx, last, out.dim(0)));
  if (out.num_elements() == 0) return OkStatus();
  const int64_t* splits = ctx.in(last).data<int64_t>();
  int64_t inner = InnerOf(out.shape());
  DispatchFloats(out.dtype(), [&]<class T>() {
    const T* a = ctx.in(0).data<T>();
    const T* b = last == 2 ? ctx.in(1).data<T>() : nullptr;
    T* y = out.mutable_data<T>();
    ForRows(ctx.step().pool, ctx.in(last).dim(0) - 1, out.num_elements(),
            [&](int64_t r) {
              int64_t n = splits[r + 1] - splits[r], at = splits[r] * inner;
              if (n == 0) return;
              if (inner == 1) {
                isa::Call<Rows<T>>(a + at, b ? b + at : b, int64_t{1}, n,
                                   y + at);
                return;
              }
              for (int64_t k = 0; k < inner; k += kStripColumns) {
                isa::Call<Columns<T>>(a + at + k, b ? b + at + k : b, n, inner,
                                      std::min(kStripColumns, inner - k),
                                      y + at + k);
              }
            });
  });
  return OkStatus();
}

// In rules: the sum of each row, for each of its values.
inline GradVar RowSums(GradContext& g, GradVar values, GradVar splits) {
  GradVar ids = g.call("RaggedRowIds", {splits});
  return g.call("Gather", {g.call("SegmentSum", {values, ids}), ids});
}

// Element by element from the indices of its row.
template <class F>
std::vector<RefArray> ByRow(const RefArray& like, const RefArray& splits,
                            F&& f) {
  Ints ids = RowIds(splits);
  return {ref::Build(like.shape, [&](const Ints& index) {
    auto r = static_cast<size_t>(ids[static_cast<size_t>(index[0])]);
    std::vector<Ints> row;
    Ints at = index;
    for (at[0] = At(splits, r); at[0] < At(splits, r + 1); ++at[0]) {
      row.push_back(at);
    }
    return f(index, row);
  })};
}

// log(sum(exp(x))) over the row.
inline double RefLogSumExp(const RefArray& x, const std::vector<Ints>& row) {
  double max = -INFINITY, sum = 0;
  for (const Ints& at : row) max = std::max(max, ref::At(x, at));
  for (const Ints& at : row) sum += std::exp(ref::At(x, at) - max);
  return max + std::log(sum);
}

// `inputs` arrays alike, then splits.
inline std::vector<Sample> SoftmaxSamples(size_t inputs) {
  auto sample = [&](Shape shape, Array splits) {
    Sample s{.in = std::vector<SampleInput>(inputs, SampleInput(shape))};
    s.in.push_back(SampleInput(splits));
    s.lo = -1, s.hi = 0;
    return s;
  };
  std::vector<Sample> out{sample({6}, Splits({0, 2, 2, 6})),
                          sample({6}, Splits({0, 0, 6, 6})),
                          sample({5, 3}, Splits({0, 3, 3, 5})),
                          sample({0, 3}, Splits({0, 0})),
                          sample({0}, Splits({0})),
                          sample({3, 0}, Splits({0, 1, 3})),
                          sample({5000}, ManySplits(900, 5000)),
                          sample({50, 70}, ManySplits(9, 50))};
  for (size_t i = 6; i < 8; ++i) out[i].only = {DType::kF32, DType::kF16};
  return out;
}

inline std::vector<Reject> SoftmaxRejects(std::string_view op, size_t inputs,
                                          std::string_view first) {
  auto in = [&](Shape shape, Array splits) {
    std::vector<SampleInput> all(inputs, SampleInput(shape));
    all.push_back(SampleInput(splits));
    return all;
  };
  return SplitsRejects(op, in({3}, Splits({0, 3})), inputs) +
         std::vector<Reject>{
             {.in = in({5}, Splits({0, 2, 4})),
              .message = StrCat("[", op,
                                "] splits[2] is 4; wanted 5, the number of "
                                "values")},
             {.in = in(Shape(), Splits({0})),
              .message = StrCat("[", op, "] ", first,
                                " is f32[]; wanted rank 1 or more")}};
}

}  // namespace sluice::ragged
