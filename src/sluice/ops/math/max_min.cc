// Max and Min.
#include <limits>

#include "sluice/kernels/cpu/extremes.h"
#include "sluice/kernels/cpu/reduce.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/family.h"
#include "sluice/ops/math/extreme_grad.h"
#include "sluice/ops/math/reduction.h"

namespace sluice {
namespace {

template <class C>
struct MaxOf {
  using Acc = C;
#if defined(__aarch64__)
  using FloatRows = ExtremeRows<MaxOf, true>;
#endif
  static Acc Start() {
    if constexpr (std::is_floating_point_v<C>) {
      return -std::numeric_limits<C>::infinity();
    } else {
      return std::numeric_limits<C>::lowest();
    }
  }
  static Acc Step(Acc acc, C x) {
    bool next = (x > acc) | (x != x);  // no branch
    return next ? x : acc;
  }
  static Acc Combine(Acc a, Acc b) { return Step(a, b); }
  static C Finish(Acc acc, int64_t) { return acc; }
};

template <class C>
struct MinOf {
  using Acc = C;
#if defined(__aarch64__)
  using FloatRows = ExtremeRows<MinOf, false>;
#endif
  static Acc Start() {
    if constexpr (std::is_floating_point_v<C>) {
      return std::numeric_limits<C>::infinity();
    } else {
      return std::numeric_limits<C>::max();
    }
  }
  static Acc Step(Acc acc, C x) {
    bool next = (x < acc) | (x != x);  // no branch
    return next ? x : acc;
  }
  static Acc Combine(Acc a, Acc b) { return Step(a, b); }
  static C Finish(Acc acc, int64_t) { return acc; }
};

template <bool kMax>
std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  return {ref::Reduce(in[0], attrs, [](const std::vector<double>& v) {
    double best = v[0];
    for (double x : v) {
      best = (kMax ? x > best : x < best) || x != x ? x : best;
    }
    return best;
  })};
}

std::vector<Reject> Rejects(std::string_view name) {
  std::vector<Reject> rejects = ReduceRejects(name);
  rejects.push_back({.in = {{2, 0}},
                     .attrs = {{"axes", Ints{1}}},
                     .message = StrCat("[", name,
                                       "] x is f32[2,0]; wanted at least one "
                                       "element to reduce")});
  return rejects;
}

OpDefinition& Extreme(OpDefinition&& op, std::string_view name) {
  return Reduction(std::move(op), name)
      .types("T", kReals)
      .shape(reduce_nonempty_shape)
      .grad([](GradContext& g) {
        g.set_dx(0, ShareAmong(g, g.in(0), g.out(), g.dy()));
      })
      .batch(batch_rules::reduction)
      .cpu_workspace(reduce_workspace)
      .fails_for_sizes_only()
      .samples(ReduceSamples(false))
      .rejects(Rejects(name));
}

}  // namespace

SL_OP_OF(Max, Extreme)
    .doc("The largest element over some axes; NaN when there is one.")
    .cpu(reduce_kernel<MaxOf, RealTypes>)
    .reference(Reference<true>);
SL_FACE(Max).keeps({DType::kBool});

SL_OP_OF(Min, Extreme)
    .doc("The smallest element over some axes; NaN when there is one.")
    .cpu(reduce_kernel<MinOf, RealTypes>)
    .reference(Reference<false>);
SL_FACE(Min).keeps({DType::kBool});

}  // namespace sluice
