// Var and Std.
#include <cmath>

#include "sluice/kernels/cpu/variance.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/family.h"
#include "sluice/ops/math/reduce_grad.h"
#include "sluice/ops/math/reduction.h"

namespace sluice {
namespace {

template <bool kRoot>
std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  auto correction = static_cast<double>(attrs.get<int64_t>("correction"));
  return {ref::Reduce(in[0], attrs, [=](const std::vector<double>& v) {
    double n = static_cast<double>(v.size()), mean = 0, squares = 0;
    for (double x : v) mean += x / n;
    for (double x : v) squares += (x - mean) * (x - mean);
    double var = n > correction ? squares / (n - correction) : NAN;
    return kRoot ? std::sqrt(var) : var;
  })};
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples = ReduceSamples(true);
  for (int64_t correction : {0, 3}) {
    samples.push_back(
        {.in = {{3, 40}},
         .attrs = {{"axes", Ints{1}}, {"correction", correction}}});
    samples.push_back(
        {.in = {{3, 2}},
         .attrs = {{"axes", Ints{1}}, {"correction", correction}}});
  }
  // Far from 0, where squares alone would lose everything.
  samples.push_back({.in = {{1037}},
                     .lo = 1000,
                     .hi = 1001,
                     .only = {DType::kF32, DType::kF64}});
  return samples;
}

OpDefinition& Spread(OpDefinition&& op, std::string_view name) {
  return Reduction(std::move(op), name)
      .types("T", kFloats)
      .attr("correction", 1, "1 for a sample of a population, 0 for all of it.")
      .between(0, int64_t{1} << 40)
      .shape(shapes::reduce)
      .cpu_workspace(reduce_wide_workspace)
      .tolerance(1e-5)
      .samples(Samples())
      .rejects(ReduceRejects(name));
}

}  // namespace

SL_OP_OF(Var, Spread)
    .doc(
        "The variance over some axes: the sum of squared distances from the "
        "mean, over the number of elements less correction. NaN when that is "
        "not positive.")
    .grad([](GradContext& g) {
      GradVar dy = WithReducedAxes(g, g.dy());
      GradVar share = OneOverCount(g, g.attr<int64_t>("correction"));
      g.set_dx(0, dy * (2.0 * share * FromMean(g)));
    })
    .cpu(variance::Kernel<false>)
    .reference(Reference<false>);
SL_AUTOCAST(Var, kF32);

SL_OP_OF(Std, Spread)
    .doc("The standard deviation over some axes: the square root of Var.")
    .grad([](GradContext& g) {
      GradVar dy = WithReducedAxes(g, g.dy()), y = WithReducedAxes(g, g.out());
      GradVar share = OneOverCount(g, g.attr<int64_t>("correction"));
      // 0 where all elements are equal, the kink of the square root.
      g.set_dx(0, dy * g.call("DivNoNan", {share * FromMean(g), y}));
    })
    .cpu(variance::Kernel<true>)
    .reference(Reference<true>);
SL_AUTOCAST(Std, kF32);

}  // namespace sluice
