#include "sluice/kernels/cpu/reduce.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/record.h"
#include "sluice/ops/math/reduce_grad.h"
#include "sluice/ops/math/reduction.h"

namespace sluice {
namespace {

template <class C>
struct MeanOf {
  using Acc = C;
  static Acc Start() { return C(0); }
  static Acc Step(Acc acc, C x) { return acc + x; }
  static Acc Combine(Acc a, Acc b) { return a + b; }
  static C Finish(Acc acc, int64_t n) { return acc / static_cast<C>(n); }
};

double Fold(const std::vector<double>& v) {
  double sum = 0;
  for (double x : v) sum += x;
  return sum / static_cast<double>(v.size());
}

}  // namespace

SL_OP_OF(Mean, Reduction)
    .doc("The mean over some axes. Of no elements it is NaN.")
    .types("T", kFloats)
    .shape(shapes::reduce)
    .grad([](GradContext& g) { g.set_dx(0, BroadcastDy(g) * OneOverCount(g)); })
    .cpu(reduce_kernel<MeanOf, FloatTypes>)
    .cpu_workspace(reduce_workspace)
    .fails_for_sizes_only()
    .tolerance(1e-5)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      return std::vector<RefArray>{ref::Reduce(in[0], attrs, Fold)};
    })
    .samples(ReduceSamples(true))
    .rejects(ReduceRejects("Mean"));
SL_AUTOCAST(Mean, kF32);

}  // namespace sluice
