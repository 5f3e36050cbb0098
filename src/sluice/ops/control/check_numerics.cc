#include <cmath>
#include <limits>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/dispatch.h"
#include "sluice/tensor/strided.h"

namespace sluice {
namespace {

// The first element that is not finite, or n.
template <class T>
int64_t FirstBad(const T* x, int64_t n) {
  using C = Compute<T>;
  constexpr int64_t kBlock = 1024;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    int64_t end = begin + kBlock < n ? begin + kBlock : n;
    // v - v is 0 for every finite v, NaN for the others.
    bool good = true;
    for (int64_t i = begin; i < end; ++i) {
      C v = static_cast<C>(x[i]);
      good &= v - v == C(0);
    }
    for (int64_t i = begin; !good && i < end; ++i) {
      if (!std::isfinite(static_cast<C>(x[i]))) return i;
    }
  }
  return n;
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  Status status;
  DispatchFloats(x.dtype(), [&]<class T>() {
    int64_t at = FirstBad(x.data<T>(), x.num_elements());
    if (at == x.num_elements()) return;
    auto value = static_cast<Compute<T>>(x.data<T>()[at]);
    std::vector<int64_t> index(static_cast<size_t>(x.rank()));
    for (int i = x.rank() - 1; i >= 0; --i) {
      index[static_cast<size_t>(i)] = at % x.dim(i);
      at /= x.dim(i);
    }
    const std::string& message = ctx.attr<std::string>("message");
    status = ctx.Error(StrCat(message, message.empty() ? "" : ": ", "x[",
                              Join(index, ","), "] is ", value,
                              "; wanted finite numbers"));
  });
  if (status.ok() && y.raw() != x.raw()) CopyStrided(x, y, ctx.step().pool);
  return status;
}

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace

SL_OP(CheckNumerics)
    .doc("x itself; an error when an element is infinite or NaN.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("message", "", "What to say before the index.")
    .shape(shapes::same_as_first)
    .grad([](GradContext& g) { g.set_dx(0, g.dy()); })
    .batch(batch_rules::leading)
    .cpu(Launch)
    .in_place()
    .reference([](double x) { return x; })
    .samples(
        {{.in = {{2, 3}}}, {.in = {Shape()}}, {.in = {{0}}}, {.in = {{1500}}}})
    .rejects(
        {{.in = {Array::Of<float>({2, 2}, {1, 2, kInf, kNan})},
          .message = "[CheckNumerics] x[1,0] is inf; wanted finite numbers"},
         {.in = {Array::Scalar(kNan)},
          .attrs = {{"message", "loss"}},
          .message = "[CheckNumerics] loss: x[] is nan; wanted finite"}});

}  // namespace sluice
