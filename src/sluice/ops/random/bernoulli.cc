#include <atomic>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/random_int.h"
#include "sluice/op/batch_rules.h"
#include "sluice/ops/random/random_op.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

template <class T>
Status Run(const KernelContext& ctx) {
  using C = Compute<T>;
  RandomKey key = random_op::KeyOf(ctx);
  const T* p = ctx.in(0).data<T>();
  T* y = ctx.out(0).mutable_data<T>();
  int64_t n = ctx.in(0).num_elements();
  std::atomic<int64_t> bad{n};
  ParallelFor(ctx.step().pool, n, 1 << 14, [&](int64_t begin, int64_t end) {
    int64_t wrong = n;
    ForEachWord(key, begin, end, [&](int64_t i, uint32_t word) {
      C chance = static_cast<C>(p[i]);
      if (!(chance >= C(0) && chance <= C(1)) && i < wrong) wrong = i;
      // 32 bits are exact in a double, so that 1 is certain and 0 impossible.
      bool hit =
          static_cast<double>(word) * 0x1p-32 < static_cast<double>(chance);
      y[i] = T(static_cast<C>(hit ? 1 : 0));
    });
    int64_t before = bad.load(std::memory_order_relaxed);
    while (wrong < before && !bad.compare_exchange_weak(before, wrong)) {
    }
  });
  int64_t at = bad.load();
  if (at == n) return OkStatus();
  return ctx.Error(StrCat("p[", at, "] is ", static_cast<double>(p[at]),
                          "; wanted 0 <= p <= 1"));
}

Status Launch(KernelContext& ctx) {
  Status status;
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() { status = Run<T>(ctx); });
  return status;
}

}  // namespace

SL_OP(Bernoulli)
    .doc(
        "1 with probability p, else 0, for every element of p. The draws "
        "depend on the session's seed, this op's seed and place in the graph, "
        "and the step, and on nothing else.")
    .input("p: T")
    .input(random_op::kTagInput)
    .output("y: T")
    .types("T", kFloats)
    .attr("seed", 0, random_op::kSeedDoc)
    .shape(shapes::same_as_first)
    .no_grad("it draws 0 or 1, which jump as p moves")
    .batch(batch_rules::leading)
    .cpu(Launch)
    .random()
    .samples({{.in = {{20, 5}}, .lo = 0.3, .hi = 0.7},
              {.in = {{3000}}, .lo = 0, .hi = 1},
              {.in = {{7}}, .lo = 0, .hi = 0},
              {.in = {Shape()}, .lo = 1, .hi = 1},
              {.in = {{0, 2}}}})
    .rejects({{.in = {Array::Vector<float>({0.5f, 1.5f})},
               .message = "[Bernoulli] p[1] is 1.5; wanted 0 <= p <= 1"},
              {.in = {Array::Vector<double>({-0.25})},
               .message = "[Bernoulli] p[0] is -0.25; wanted 0 <= p <= 1"},
              {.in = {Array::Vector<float>({__builtin_nanf("")})},
               .message = "[Bernoulli] p[0] is nan; wanted 0 <= p <= 1"}});

}  // namespace sluice
