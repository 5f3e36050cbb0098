#include <cmath>

#include "sluice/kernels/cpu/variance.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/math/reduce_grad.h"

namespace sluice {
namespace {

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  auto correction = static_cast<double>(attrs.get<int64_t>("correction"));
  return {ref::Reduce(in[0], attrs, [=](const std::vector<double>& v) {
    double n = static_cast<double>(v.size()), mean = 0, squares = 0;
    for (double x : v) mean += x / n;
    for (double x : v) squares += (x - mean) * (x - mean);
    return n > correction ? squares / (n - correction) : NAN;
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

std::vector<Reject> Rejects() {
  std::vector<Reject> rejects = ReduceRejects("Var");
  rejects.push_back({.in = {{2}},
                     .attrs = {{"correction", -1}},
                     .message = "[Var] attribute correction is -1"});
  return rejects;
}

}  // namespace

SL_OP(Var)
    .doc(
        "The variance over some axes: the sum of squared distances from the "
        "mean, over the number of elements less correction. NaN when that is "
        "not positive.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("axes", Ints{}, "Axes to reduce; none means all.")
    .attr("keep_dims", false, "Keep reduced axes with size 1.")
    .attr("correction", 1, "1 for a sample of a population, 0 for all of it.")
    .between(0, int64_t{1} << 40)
    .shape(shapes::reduce)
    .grad([](GradContext& g) {
      GradVar dy = WithReducedAxes(g, g.dy());
      GradVar share = OneOverCount(g, g.attr<int64_t>("correction"));
      g.set_dx(0, dy * (2.0 * share * FromMean(g)));
    })
    .cpu(variance::Kernel<false>)
    .cpu_workspace(reduce_wide_workspace)
    .fuse_input()
    .fuse_output()
    .tolerance(1e-5)
    .reference(Reference)
    .samples(Samples())
    .rejects(Rejects());

}  // namespace sluice
