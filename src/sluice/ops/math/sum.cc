#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"
#include "sluice/ops/math/reduce_grad.h"
#include "sluice/ops/math/sum_of.h"

namespace sluice {
namespace {

double Fold(const std::vector<double>& v) {
  double sum = 0;
  for (double x : v) sum += x;
  return sum;
}

}  // namespace

SL_OP(Sum)
    .doc("The sum over some axes; integers wrap. Of no elements it is 0.")
    .input("x: T")
    .output("y: T")
    .types("T", kNumbers)
    .attr("axes", Ints{}, "Axes to reduce; none means all.")
    .attr("keep_dims", false, "Keep reduced axes with size 1.")
    .shape(shapes::reduce)
    .grad([](GradContext& g) { g.set_dx(0, BroadcastDy(g)); })
    .cpu(reduce_kernel<SumOf, NumberTypes>)
    .cpu_workspace(reduce_workspace)
    .fuse_input()
    .fuse_output()
    .role(Role::kSum)
    .fails_for_sizes_only()
    .tolerance(1e-5)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      return std::vector<RefArray>{ref::Reduce(in[0], attrs, Fold)};
    })
    .samples(ReduceSamples(true))
    .rejects(ReduceRejects("Sum"));

}  // namespace sluice
