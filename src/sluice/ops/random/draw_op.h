// Shared by Categorical and Multinomial: rows of weights in, draws out.
#pragma once

#include "sluice/kernels/shape_value.h"
#include "sluice/ops/random/random_op.h"

namespace sluice::draw_op {

struct Rows {
  int64_t rows = 1, n, samples;
  explicit Rows(const KernelContext& ctx)
      : n(ctx.in(0).dim(ctx.in(0).rank() - 1)),
        samples(ctx.attr<int64_t>("num_samples")) {
    for (int i = 0; i + 1 < ctx.in(0).rank(); ++i) rows *= ctx.in(0).dim(i);
  }
};

// The last axis becomes `num_samples`.
inline Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  const PartialShape& x = c.in(0);
  if (!x.rank_known()) return OkStatus();
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  bool any_row = true;
  for (size_t i = 0; i + 1 < dims.size(); ++i) any_row &= dims[i] > 0;
  int64_t samples = c.attr<int64_t>("num_samples");
  if (dims.back() == 0 && any_row && samples > 0) {
    return c.Error(StrCat(c.Describe(0), "; wanted at least one class"));
  }
  dims.back() = samples;
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

}  // namespace sluice::draw_op
