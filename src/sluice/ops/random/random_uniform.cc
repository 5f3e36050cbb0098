#include "sluice/kernels/cpu/random_fill.h"
#include "sluice/op/batch_rules.h"
#include "sluice/ops/random/random_op.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  FillUniform(random_op::KeyOf(ctx), y.dtype(), y.num_elements(),
              y.mutable_raw(), ctx.step().pool);
  return OkStatus();
}

}  // namespace

SL_OP(RandomUniform)
    .doc(
        "Random numbers uniform in [0, 1). They depend on "
        "the session's seed, this op's seed and place in the graph, and the "
        "step, and on nothing else.")
    .input(random_op::kTagInput)
    .output("y: dtype")
    .types("dtype", kFloats)
    .attr("shape", AttrKind::kShape, "The shape of the result.")
    .attr("dtype", DType::kF32, "The type of the result.")
    .attr("seed", 0, random_op::kSeedDoc)
    .shape(random_op::Infer)
    .batch(batch_rules::random_of_shape)
    .cpu(Launch)
    .random()
    .samples(random_op::Samples())
    .rejects(random_op::Rejects("RandomUniform"));

}  // namespace sluice
