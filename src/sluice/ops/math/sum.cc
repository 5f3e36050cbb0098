#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/record.h"
#include "sluice/ops/math/reduce_grad.h"
#include "sluice/ops/math/reduction.h"
#include "sluice/ops/math/sum_of.h"

namespace sluice {
namespace {

double Fold(const std::vector<double>& v) {
  double sum = 0;
  for (double x : v) sum += x;
  return sum;
}

}  // namespace

SL_OP_OF(Sum, Reduction)
    .doc("The sum over some axes; integers wrap. Of no elements it is 0.")
    .types("T", kNumbers)
    .shape(shapes::reduce)
    .grad([](GradContext& g) { g.set_dx(0, BroadcastDy(g)); })
    .cpu(reduce_kernel<SumOf, NumberTypes>)
    .cpu_workspace(reduce_workspace)
    .role(Role::kSum)
    .fails_for_sizes_only()
    .tolerance(1e-5)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      return std::vector<RefArray>{ref::Reduce(in[0], attrs, Fold)};
    })
    .samples(ReduceSamples(true))
    .rejects(ReduceRejects("Sum"));
SL_AUTOCAST(Sum, kF32);

}  // namespace sluice
