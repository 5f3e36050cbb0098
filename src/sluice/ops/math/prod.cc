#include "sluice/kernels/cpu/reduce.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

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

}  // namespace

SL_OP(Prod)
    .doc("The product over some axes; integers wrap. Of no elements it is 1.")
    .input("x: T")
    .output("y: T")
    .types("T", kReals)
    .attr("axes", Ints{}, "Axes to reduce; none means all.")
    .attr("keep_dims", false, "Keep reduced axes with size 1.")
    .shape(shapes::reduce)
    .cpu(reduce_kernel<ProdOf, RealTypes>)
    .cpu_workspace(reduce_workspace)
    .fuse_input()
    .fuse_output()
    .tolerance(1e-5)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      return std::vector<RefArray>{ref::Reduce(in[0], attrs, Fold)};
    })
    .samples(ReduceSamples(true))
    .rejects(ReduceRejects("Prod"));

}  // namespace sluice
