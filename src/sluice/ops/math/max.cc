#include <limits>

#include "sluice/kernels/cpu/extremes.h"
#include "sluice/kernels/cpu/reduce.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/math/extreme_grad.h"

namespace sluice {
namespace {

template <class C>
struct MaxOf {
  using Acc = C;
#if defined(__aarch64__)
  using FloatRows = ExtremeRows<MaxOf, true>;
#endif
  static Acc Start() {
    if constexpr (std::is_floating_point_v<C>) {
      return -std::numeric_limits<C>::infinity();
    } else {
      return std::numeric_limits<C>::lowest();
    }
  }
  static Acc Step(Acc acc, C x) {
    bool next = (x > acc) | (x != x);  // no branch
    return next ? x : acc;
  }
  static Acc Combine(Acc a, Acc b) { return Step(a, b); }
  static C Finish(Acc acc, int64_t) { return acc; }
};

double Fold(const std::vector<double>& v) {
  double best = v[0];
  for (double x : v) best = x > best || x != x ? x : best;
  return best;
}

std::vector<Reject> Rejects() {
  std::vector<Reject> rejects = ReduceRejects("Max");
  rejects.push_back({.in = {{2, 0}},
                     .attrs = {{"axes", Ints{1}}},
                     .message = "[Max] x is f32[2,0]; wanted at least one "
                                "element to reduce"});
  return rejects;
}

}  // namespace

SL_OP(Max)
    .doc("The largest element over some axes; NaN when there is one.")
    .input("x: T")
    .output("y: T")
    .types("T", kReals)
    .attr("axes", Ints{}, "Axes to reduce; none means all.")
    .attr("keep_dims", false, "Keep reduced axes with size 1.")
    .shape(reduce_nonempty_shape)
    .grad([](GradContext& g) {
      g.set_dx(0, ShareAmong(g, g.in(0), g.out(), g.dy()));
    })
    .batch(batch_rules::reduction)
    .cpu(reduce_kernel<MaxOf, RealTypes>)
    .cpu_workspace(reduce_workspace)
    .fuse_input()
    .fuse_output()
    .fails_for_sizes_only()
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      return std::vector<RefArray>{ref::Reduce(in[0], attrs, Fold)};
    })
    .samples(ReduceSamples(false))
    .rejects(Rejects());

}  // namespace sluice
