#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/philox_lanes.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/random/random_op.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  double rate = c.attr<double>("rate");
  if (!(rate >= 0 && rate <= 1)) {
    return c.Error(StrCat("rate is ", rate, "; wanted 0 <= rate <= 1"));
  }
  return shapes::same_as_first(c);
}

// Elements a call of PhiloxLanes decides about.
constexpr int64_t kGroup = 4 * kPhiloxLanes;

template <class T>
struct DropoutLoop {
  using C = Compute<T>;
  // Elements [begin, end); begin is a multiple of kGroup. Element i is kept if
  // its word is at least `limit`.
  static SL_INLINE void Run(const T* x, int64_t begin, int64_t end,
                            RandomKey key, uint64_t limit, C scale, T* y,
                            uint8_t* mask) {
    auto below = static_cast<uint32_t>(limit);
    bool some = limit >> 32 == 0;  // not with a rate of 1
    for (int64_t i = begin; i < end; i += kGroup) {
      PhiloxWords words;
      PhiloxLanes(key, static_cast<uint64_t>(i / 4), words);
      for (int r = 0; r < 4; ++r) {
        int64_t at = i + r * kPhiloxLanes;
        int64_t n = std::min<int64_t>(kPhiloxLanes, end - at);
        SL_VECTORIZE
        for (int64_t k = 0; k < n; ++k) {
          bool keep = words[r][k] >= below && some;
          C v = static_cast<C>(x[at + k]) * scale;
          y[at + k] = static_cast<T>(keep ? v : C(0));
          mask[at + k] = keep;
        }
      }
    }
  }
};

Status Launch(KernelContext& ctx) {
  double rate = ctx.attr<double>("rate");
  auto limit = static_cast<uint64_t>(std::ldexp(rate, 32));
  RandomKey key = random_op::KeyOf(ctx);
  auto* mask = static_cast<uint8_t*>(ctx.out(1).mutable_raw());
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    using C = Compute<T>;
    const T* x = ctx.in(0).data<T>();
    T* y = ctx.out(0).mutable_data<T>();
    C scale = rate < 1 ? static_cast<C>(1 / (1 - rate)) : C(0);
    ParallelFor(ctx.step().pool, ctx.in(0).num_elements(), 256 * kGroup,
                [&](int64_t begin, int64_t end) {
                  isa::Call<DropoutLoop<T>>(x, begin, end, key, limit, scale, y,
                                            mask);
                  ctx.Finish(begin, end - begin);
                });
  });
  return OkStatus();
}

}  // namespace

SL_OP(Dropout)
    .doc(
        "x with a share `rate` of its elements set to 0 at random and the rest "
        "divided by 1 - rate, and which were kept. The draws depend on the "
        "session's seed, this op's seed and place in the graph, and the step, "
        "and on nothing else.")
    .input("x: T")
    .input(random_op::kTagInput)
    .output("y: T")
    .output("mask: bool")
    .types("T", kFloats)
    .attr("rate", 0.5, "The share of elements that are dropped.")
    .attr("seed", 0, "Tells apart ops that should differ.")
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("DropoutGrad", {g.dy(), g.out(1)},
                         {{"rate", g.attr<double>("rate")}}));
    })
    .batch(batch_rules::leading)
    .cpu(Launch)
    .in_place()
    .fuse_output()
    .random()
    .samples({{.in = {{20, 5}}, .lo = 1, .hi = 2},
              {.in = {{301}}, .attrs = {{"rate", 0.1}}, .lo = 1, .hi = 2},
              {.in = {{40000}}, .lo = 1, .hi = 2, .only = {DType::kF32}},
              {.in = {{7}}, .attrs = {{"rate", 0.0}}},
              {.in = {{7}}, .attrs = {{"rate", 1.0}}},
              {.in = {Shape()}},
              {.in = {{0, 2}}}})
    .rejects({{.in = {{2}},
               .attrs = {{"rate", 1.5}},
               .message = "[Dropout] rate is 1.5; wanted 0 <= rate <= 1"},
              {.in = {{2}},
               .attrs = {{"rate", -0.5}},
               .message = "[Dropout] rate is -0.5; wanted 0 <= rate <= 1"}});

}  // namespace sluice
