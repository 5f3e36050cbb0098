#include "sluice/kernels/cpu/reduce.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

template <class C>
struct AllOf {
  using Acc = bool;
  static Acc Start() { return true; }
  static Acc Step(Acc acc, C x) { return acc & x; }
  static Acc Combine(Acc a, Acc b) { return a & b; }
  static bool Finish(Acc acc, int64_t) { return acc; }
};

double Fold(const std::vector<double>& v) {
  for (double x : v) {
    if (x == 0) return 0;
  }
  return 1;
}

}  // namespace

SL_OP(All)
    .doc(
        "True when all elements over some axes are. Of no elements it is true.")
    .function("all_of")
    .input("x: bool")
    .output("y: bool")
    .attr("axes", Ints{}, "Axes to reduce; none means all.")
    .attr("keep_dims", false, "Keep reduced axes with size 1.")
    .shape(shapes::reduce)
    .cpu(reduce_kernel<AllOf, BoolTypes>)
    .cpu_workspace(reduce_workspace)
    .fuse_input()
    .fuse_output()
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      return std::vector<RefArray>{ref::Reduce(in[0], attrs, Fold)};
    })
    .samples(ReduceSamples(true))
    .rejects(ReduceRejects("All", DType::kBool));

}  // namespace sluice
