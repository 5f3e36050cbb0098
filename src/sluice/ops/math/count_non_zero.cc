#include "sluice/kernels/cpu/reduce.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

template <class C>
struct CountOf {
  using Acc = int64_t;
  static Acc Start() { return 0; }
  static Acc Step(Acc acc, C x) { return acc + (x != C(0)); }
  static Acc Combine(Acc a, Acc b) { return a + b; }
  static int64_t Finish(Acc acc, int64_t) { return acc; }
};

template <class... Ts>
const ReduceLoops* Pick(DType dtype, Types<Ts...>) {
  const ReduceLoops* loops = nullptr;
  ((DTypeOf<Ts>::value == dtype
        ? void(loops = &reduce_internal::LoopsOf<CountOf<Compute<Ts>>, Ts,
                                                 int64_t>())
        : void()),
   ...);
  return loops;
}

Status Launch(KernelContext& ctx) {
  return RunReduce(ctx, *Pick(ctx.in(0).dtype(), PlainTypes{}));
}

double Fold(const std::vector<double>& v) {
  double count = 0;
  for (double x : v) count += x != 0;
  return count;
}

}  // namespace

SL_OP(CountNonZero)
    .doc("How many elements over some axes are not 0; NaN counts.")
    .input("x: T")
    .output("y: i64")
    .types("T", kPlain)
    .attr("axes", Ints{}, "Axes to reduce; none means all.")
    .attr("keep_dims", false, "Keep reduced axes with size 1.")
    .shape(shapes::reduce)
    .no_grad("it counts")
    .cpu(Launch)
    .cpu_workspace(reduce_workspace)
    .fuse_input()
    .fuse_output()
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      return std::vector<RefArray>{ref::Reduce(in[0], attrs, Fold)};
    })
    .samples(ReduceSamples(true))
    .rejects(ReduceRejects("CountNonZero"));

}  // namespace sluice
