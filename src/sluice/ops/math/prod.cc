#include "sluice/kernels/cpu/reduce.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/math/reduce_grad.h"
#include "sluice/ops/math/reduction.h"

namespace sluice {
namespace {

template <class C>
struct ProdOf {
  using Acc = C;
  static Acc Start() { return C(1); }
  static Acc Step(Acc acc, C x) { return Wrap<C>(ToWrap(acc) * ToWrap(x)); }
  static Acc Combine(Acc a, Acc b) { return Step(a, b); }
  static C Finish(Acc acc, int64_t) { return acc; }
};

double Fold(const std::vector<double>& v) {
  double product = 1;
  for (double x : v) product *= x;
  return product;
}

// dy times the product of all other elements, without division by possible
// zeros: axis by axis, the products of the elements before and behind.
void Gradient(GradContext& g) {
  GradVar x = g.in(0), dy = WithReducedAxes(g, g.dy());
  int rank = x.rank();
  if (rank < 0) return g.fail("the gradient needs to know how many axes x has");
  Ints axes = g.attr<Ints>("axes");
  for (int i = 0; g.attr<Ints>("axes").empty() && i < rank; ++i) {
    axes.push_back(i);
  }
  for (int64_t axis : axes) {
    for (bool reverse : {false, true}) {
      Attrs attrs = {{"axis", axis}, {"exclusive", true}, {"reverse", reverse}};
      dy = dy * g.call("CumProd", {x}, attrs);
    }
    x = g.call("Prod", {x}, {{"axes", Ints{axis}}, {"keep_dims", true}});
  }
  g.set_dx(0, dy);
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples = ReduceSamples(true);
  // Gradients that division cannot compute.
  Array zeros = Array::Of<float>({2, 4}, {0, 2, 3, -1, 0, 0, 4, 5});
  samples.push_back({.in = {zeros}, .attrs = {{"axes", Ints{1}}}});
  samples.push_back({.in = {zeros}});
  return samples;
}

}  // namespace

SL_OP_OF(Prod, Reduction)
    .doc("The product over some axes; integers wrap. Of no elements it is 1.")
    .types("T", kReals)
    .shape(shapes::reduce)
    .grad(Gradient)
    .cpu(reduce_kernel<ProdOf, RealTypes>)
    .cpu_workspace(reduce_workspace)
    .fails_for_sizes_only()
    .tolerance(1e-5)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      return std::vector<RefArray>{ref::Reduce(in[0], attrs, Fold)};
    })
    .samples(Samples())
    .rejects(ReduceRejects("Prod"));
SL_AUTOCAST(Prod, kF32);

}  // namespace sluice
