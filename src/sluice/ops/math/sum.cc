#include "sluice/kernels/cpu/reduce.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

template <class C>
struct SumOf {
  using Acc = C;
  static Acc Start() { return C(0); }
  static Acc Step(Acc acc, C x) { return Wrap<C>(ToWrap(acc) + ToWrap(x)); }
  static Acc Combine(Acc a, Acc b) { return Step(a, b); }
  static C Finish(Acc acc, int64_t) { return acc; }
};

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
    .cpu(reduce_kernel<SumOf, NumberTypes>)
    .cpu_workspace(reduce_workspace)
    .fuse_input()
    .fuse_output()
    .tolerance(1e-5)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      return std::vector<RefArray>{ref::Reduce(in[0], attrs, Fold)};
    })
    .samples(ReduceSamples(true))
    .rejects(ReduceRejects("Sum"));

}  // namespace sluice
