// All and Any.
#include "sluice/kernels/cpu/reduce.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"
#include "sluice/ops/family.h"

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

double FoldAll(const std::vector<double>& v) {
  for (double x : v) {
    if (x == 0) return 0;
  }
  return 1;
}

template <class C>
struct AnyOf {
  using Acc = bool;
  static Acc Start() { return false; }
  static Acc Step(Acc acc, C x) { return acc | x; }
  static Acc Combine(Acc a, Acc b) { return a | b; }
  static bool Finish(Acc acc, int64_t) { return acc; }
};

double FoldAny(const std::vector<double>& v) {
  for (double x : v) {
    if (x != 0) return 1;
  }
  return 0;
}

OpDefinition& Logical(OpDefinition&& op, std::string_view name) {
  return op.input("x: bool")
      .output("y: bool")
      .attr("axes", Ints{}, "Axes to reduce; none means all.")
      .attr("keep_dims", false, "Keep reduced axes with size 1.")
      .shape(shapes::reduce)
      .cpu_workspace(reduce_workspace)
      .fuse_input()
      .fuse_output()
      .samples(ReduceSamples(true))
      .rejects(ReduceRejects(name, DType::kBool));
}

}  // namespace

SL_OP_OF(All, Logical)
    .doc(
        "True when all elements over some axes are. Of no elements it is true.")
    .function("all_of")
    .cpu(reduce_kernel<AllOf, BoolTypes>)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      return std::vector<RefArray>{ref::Reduce(in[0], attrs, FoldAll)};
    });

SL_OP_OF(Any, Logical)
    .doc(
        "True when some element over some axes is. Of no elements it is false.")
    .function("any_of")
    .cpu(reduce_kernel<AnyOf, BoolTypes>)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      return std::vector<RefArray>{ref::Reduce(in[0], attrs, FoldAny)};
    });

}  // namespace sluice
