#include <cmath>
#include <limits>

#include "sluice/kernels/cpu/mul_add.h"
#include "sluice/kernels/cpu/reduce.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/math/extreme_grad.h"
#include "sluice/ops/math/reduction.h"

namespace sluice {
namespace {

template <class C>
struct Ones {
  using Acc = C;
  static Acc Start() { return 0; }
  static Acc Step(Acc acc, C x) { return acc + std::fabs(x); }
  static Acc Combine(Acc a, Acc b) { return a + b; }
  static C Finish(Acc acc, int64_t) { return acc; }
};

// In double: the squares of large floats would overflow, those of small ones
// underflow.
template <class C>
struct Twos {
  using Acc = double;
  static Acc Start() { return 0; }
  static Acc Step(Acc acc, C x) {
    auto v = static_cast<double>(x);
    return MulAdd(v, v, acc);
  }
  static Acc Combine(Acc a, Acc b) { return a + b; }
  static double Finish(Acc acc, int64_t) { return std::sqrt(acc); }
};

template <class C>
struct Largest {
  using Acc = C;
  static Acc Start() { return 0; }
  static Acc Step(Acc acc, C x) { return Combine(acc, std::fabs(x)); }
  static Acc Combine(Acc a, Acc b) { return b > a || b != b ? b : a; }
  static C Finish(Acc acc, int64_t) { return acc; }
};

template <class C>
struct Smallest {
  using Acc = C;
  static Acc Start() { return std::numeric_limits<C>::infinity(); }
  static Acc Step(Acc acc, C x) { return Combine(acc, std::fabs(x)); }
  static Acc Combine(Acc a, Acc b) { return b < a || b != b ? b : a; }
  static C Finish(Acc acc, int64_t) { return acc; }
};

// p[0] is p; for p = 0 the powers are 1, and 0 of 0.
template <class C>
struct Powers {
  using Acc = double;
  static Acc Start() { return 0; }
  static Acc Step(Acc acc, C x, const BlockParams& params) {
    C power = vmath::Pow(std::fabs(x), static_cast<C>(params.p[0]));
    return acc + static_cast<double>(x == 0 && params.p[0] == 0 ? C(0) : power);
  }
  static Acc Combine(Acc a, Acc b) { return a + b; }
  static double Finish(Acc acc, int64_t, const BlockParams& params) {
    return params.p[0] == 0 ? acc : std::pow(acc, 1 / params.p[0]);
  }
};

Status Launch(KernelContext& ctx) {
  BlockParams params;
  params.p[0] = ctx.attr<double>("p");
  DType dtype = ctx.in(0).dtype();
  const ReduceLoops* loops = nullptr;
  using reduce_internal::Pick;
  if (params.p[0] == 1) {
    loops = Pick<Ones>(dtype, FloatTypes{});
  } else if (params.p[0] == 2) {
    loops = Pick<Twos>(dtype, FloatTypes{});
  } else if (std::isinf(params.p[0])) {
    loops = params.p[0] > 0 ? Pick<Largest>(dtype, FloatTypes{})
                            : Pick<Smallest>(dtype, FloatTypes{});
  } else {
    loops = Pick<Powers>(dtype, FloatTypes{});
  }
  return RunReduce(ctx, *loops, params);
}

Status Infer(ShapeContext& c) {
  if (std::isnan(c.attr<double>("p"))) {
    return c.Error("p is nan; wanted a number or an infinity");
  }
  return shapes::reduce(c);
}

double Fold(const std::vector<double>& v, double p) {
  double sum = 0, low = HUGE_VAL, high = 0;
  for (double x : v) {
    x = std::fabs(x);
    sum += p == 0 ? x != 0 : std::pow(x, p);
    low = x < low || std::isnan(x) ? x : low;
    high = x > high || std::isnan(x) ? x : high;
  }
  if (std::isinf(p)) return p > 0 ? high : low;
  return p == 0 ? sum : std::pow(sum, 1 / p);
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples = ReduceSamples(true);
  for (double p : {0.0, 1.0, 3.0, 0.5, -1.0, HUGE_VAL, -HUGE_VAL}) {
    samples.push_back(
        {.in = {{3, 40}}, .attrs = {{"axes", Ints{1}}, {"p", p}}});
    samples.push_back(
        {.in = {{40, 3}}, .attrs = {{"axes", Ints{0}}, {"p", p}}});
  }
  // Their squares are no floats; large ones are in norm_test.cc.
  samples.push_back({.in = {Array::Vector<float>({1e-30f, -1e-30f, 0})}});
  return samples;
}

std::vector<Reject> Rejects() {
  std::vector<Reject> rejects = ReduceRejects("Norm");
  rejects.push_back({.in = {{2}},
                     .attrs = {{"p", std::nan("")}},
                     .message = "[Norm] p is nan; wanted a number"});
  return rejects;
}

void Gradient(GradContext& g) {
  const double p = g.attr<double>("p");
  if (p == 0) return;  // a count
  GradVar x = g.in(0), sign = g.call("Sign", {x});
  if (std::isinf(p)) {
    GradVar size = g.call("Abs", {x});
    g.set_dx(0, ShareAmong(g, size, g.out(), g.dy()) * sign);
    return;
  }
  GradVar dy = WithReducedAxes(g, g.dy()), y = WithReducedAxes(g, g.out());
  if (p == 1) {
    g.set_dx(0, dy * sign);
    return;
  }
  // 0 where all elements are, the kink of the norm.
  if (p == 2) {
    g.set_dx(0, dy * g.call("DivNoNan", {x, y}));
    return;
  }
  GradVar part = g.call("DivNoNan", {g.call("Abs", {x}), y});
  GradVar power = g.call("Pow", {part, g.scalar(p - 1, x.dtype())});
  g.set_dx(0, g.call("MulNoNan", {dy * sign, power}));
}

}  // namespace

SL_OP_OF(Norm, Reduction)
    .doc(
        "The p-norm over some axes: the sum of |x|^p to the power 1/p. p = inf "
        "gives the largest |x|, -inf the smallest, 0 how many are not 0.")
    .types("T", kFloats)
    .attr("p", 2.0, "The power.")
    .shape(Infer)
    .grad(Gradient)
    .batch(batch_rules::reduction)
    .cpu(Launch)
    .cpu_workspace(reduce_workspace)
    .tolerance(1e-5)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      double p = attrs.get<double>("p");
      return std::vector<RefArray>{ref::Reduce(
          in[0], attrs,
          [=](const std::vector<double>& v) { return Fold(v, p); })};
    })
    .samples(Samples())
    .rejects(Rejects());
SL_AUTOCAST(Norm, kF32);

}  // namespace sluice
