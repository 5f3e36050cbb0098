// RandomExponential, RandomNormal, RandomUniform and TruncatedNormal.
#include "sluice/kernels/cpu/random_fill.h"

#include <cmath>

#include "sluice/kernels/cpu/element_stream.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/op/batch_rules.h"
#include "sluice/ops/family.h"
#include "sluice/ops/random/random_op.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status LaunchRandomExponential(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  FillExponential(random_op::KeyOf(ctx), y.dtype(), y.num_elements(),
                  y.mutable_raw(), ctx.step().pool);
  return OkStatus();
}

Status LaunchRandomNormal(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  FillNormal(random_op::KeyOf(ctx), y.dtype(), y.num_elements(),
             y.mutable_raw(), ctx.step().pool);
  return OkStatus();
}

Status LaunchRandomUniform(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  FillUniform(random_op::KeyOf(ctx), y.dtype(), y.num_elements(),
              y.mutable_raw(), ctx.step().pool);
  return OkStatus();
}

constexpr double kLimit = 2;

double DrawAgain(const RandomKey& key, int64_t i) {
  ElementStream stream(RetryKey(key), i);
  for (int draw = 0; draw < ElementStream::kMaxDraws; ++draw) {
    NormalPair pair = stream.Normals();
    if (std::fabs(pair.a) <= kLimit) return pair.a;
    if (std::fabs(pair.b) <= kLimit) return pair.b;
  }
  return 0;
}

Status LaunchTruncatedNormal(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  RandomKey key = random_op::KeyOf(ctx);
  FillNormal(key, y.dtype(), y.num_elements(), y.mutable_raw(),
             ctx.step().pool);
  DispatchFloats(y.dtype(), [&]<class T>() {
    using C = Compute<T>;
    T* v = y.mutable_data<T>();
    ParallelFor(ctx.step().pool, y.num_elements(), 1 << 14,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    C x = static_cast<C>(v[i]);
                    if (x <= C(kLimit) && x >= C(-kLimit)) continue;
                    v[i] = T(static_cast<C>(DrawAgain(key, i)));
                  }
                });
  });
  return OkStatus();
}

OpDefinition& Draw(OpDefinition&& op, std::string_view name) {
  return op.input(random_op::kTagInput)
      .output("y: dtype")
      .types("dtype", kFloats)
      .attr("shape", AttrKind::kShape, "The shape of the result.")
      .attr("dtype", DType::kF32, "The type of the result.")
      .attr("seed", 0, random_op::kSeedDoc)
      .shape(random_op::Infer)
      .batch(batch_rules::random_of_shape)
      .random()
      .samples(random_op::Samples())
      .rejects(random_op::Rejects(name));
}

}  // namespace

SL_OP_OF(RandomExponential, Draw)
    .doc(
        "Random numbers of the exponential distribution with mean 1. They "
        "depend on "
        "the session's seed, this op's seed and place in the graph, and the "
        "step, and on nothing else.")
    .cpu(LaunchRandomExponential);

SL_OP_OF(RandomNormal, Draw)
    .doc(
        "Random numbers with mean 0 and standard deviation 1. They depend on "
        "the session's seed, this op's seed and place in the graph, and the "
        "step, and on nothing else.")
    .cpu(LaunchRandomNormal);

SL_OP_OF(RandomUniform, Draw)
    .doc(
        "Random numbers uniform in [0, 1). They depend on "
        "the session's seed, this op's seed and place in the graph, and the "
        "step, and on nothing else.")
    .cpu(LaunchRandomUniform);

SL_OP_OF(TruncatedNormal, Draw)
    .doc(
        "Random numbers with mean 0 and standard deviation 1, those beyond 2 "
        "drawn again. They depend on the session's seed, this op's seed and "
        "place in the graph, and the step, and on nothing else.")
    .cpu(LaunchTruncatedNormal);

}  // namespace sluice
