// Records and gradient rules of normalisations. Each of them is, over every
// part of x that is normalised as one,
//   h = (x - mean) rstd,  y = h scale + offset,
// (RmsNorm without mean and offset), and its gradient op, with g = dy scale,
//   dx = rstd (g - mean(g) - h mean(g h)),  dscale = sum(dy h),
//   doffset = sum(dy).
// Rules work in the type of the statistics, on a view of x.
#pragma once

#include "sluice/op/grad_context.h"
#include "sluice/ops/family.h"

namespace sluice {

// The division of x into parts: shapes with which statistics and scale
// broadcast against x, and the axes of x's view that a part spans.
struct NormView {
  GradVar x_shape, stats_shape, scale_shape;  // x_shape undefined: x's own
  std::vector<int64_t> over;
  DType dtype = DType::kInvalid;

  GradVar X(GradVar x) const { return As(x, x_shape); }
  GradVar Stats(GradVar s) const { return As(s, stats_shape); }
  GradVar Scale(GradVar s) const { return As(s, scale_shape); }
  GradVar Mean(GradVar x) const {
    return x.context()->call("Mean", {x},
                             {{"axes", over}, {"keep_dims", true}});
  }

 private:
  GradVar As(GradVar v, GradVar shape) const {
    RuleContext& g = *v.context();
    v = g.cast(v, dtype);
    return shape ? g.call("Reshape", {v, shape}) : v;
  }
};

// The views of x; `stats` is one of the statistics.
NormView LayerNormView(GradContext& g, GradVar scale, GradVar stats);
NormView BatchNormView(GradContext& g, GradVar x, GradVar stats);
// groups == 0: every channel is one.
NormView GroupNormView(GradContext& g, GradVar x, GradVar scale, GradVar stats,
                       int64_t groups);

// 1 / sqrt(variance + epsilon), by the attribute.
GradVar InverseDeviation(GradContext& g, GradVar variance);

// Sets the gradient of input i from a value in a view.
void SetFromView(GradContext& g, int i, GradVar value);

// The rule of an op with inputs x, scale, ... and outputs y, statistics has two
// parts. The part for y: calls the op `grad` with dy, x, scale and `stats`,
// sets the gradients of scale and offset, and returns x's.
GradVar GradFromY(GradContext& g, std::string_view grad,
                  std::initializer_list<GradVar> stats, const Attrs& attrs);
// The part for the statistics, given dmean and by_square = d loss / d variance,
// both in the view or undefined: sets x's gradient to dx plus their
// contribution.
void SetWithStats(GradContext& g, const NormView& view, GradVar dx,
                  GradVar mean, GradVar dmean, GradVar by_square);
// The same for an op with outputs y, mean, rstd.
void SetWithMeanAndRstd(GradContext& g, const NormView& view, GradVar dx);
// d loss / d variance from rstd = 1 / sqrt(variance + epsilon) and its
// gradient.
GradVar ByVariance(GradVar rstd, GradVar drstd);

// Rule of a gradient op with inputs dy, x, scale, ...: sets the gradients of
// these three, and returns those of the statistics in the view (undefined:
// none).
struct StatsGrad {
  GradVar mean, rstd;
};
StatsGrad NormGradRule(GradContext& g, const NormView& view, GradVar mean,
                       GradVar rstd);

// Shared by the records of normalizations with a mean, and of their gradients.
inline OpDefinition& MeanAndRstdNorm(OpDefinition&& op, std::string_view) {
  return op.input("x: T")
      .input("scale: T")
      .input("offset: T")
      .output("y: T")
      .output("mean: compute(T)")
      .output("rstd: compute(T)")
      .types("T", kFloats)
      .in_place()
      .fuse_output()
      .tolerance(5e-6);
}
inline OpDefinition& MeanAndRstdNormGrad(OpDefinition&& op, std::string_view) {
  return op.input("dy: T")
      .input("x: T")
      .input("scale: T")
      .input("mean: S")
      .input("rstd: S")
      .output("dx: T")
      .output("dscale: T")
      .output("doffset: T")
      .types("T", kFloats)
      .types("S", {DType::kF32, DType::kF64})
      .fuse_output()
      .internal()
      .tolerance(2e-5);
}

}  // namespace sluice
