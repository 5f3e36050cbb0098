#include <cmath>

#include "sluice/op/batch_rules.h"
#include "sluice/ops/random/gamma_poisson.h"

namespace sluice {
namespace {

// log(k!), by multiplying or by Stirling's series.
double LogFactorial(double k) {
  if (k < 10) {
    double product = 1;
    for (double i = 2; i <= k; ++i) product *= i;
    return -NegativeLog(product);
  }
  double r = 1 / k, r2 = r * r;
  return -(k + 0.5) * NegativeLog(k) - k + 0.91893853320467274178 +
         r * (1.0 / 12 - r2 * (1.0 / 360 - r2 / 1260));
}

// Small rates: the first count whose cumulative probability exceeds a uniform
// number.
double DrawSmall(double rate, uint32_t word) {
  double u = (word + 0.5) * 0x1p-32, p = StrictExp(-rate), sum = p, k = 0;
  // For rates below 10, the probability beyond 100 is negligible.
  for (; sum <= u && k < 100; sum += p) p *= rate / ++k;
  return k;
}

// Large ones: Hörmann's transformed rejection with squeeze (PTRS).
double DrawLarge(double rate, ElementStream& stream) {
  double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  double inverse = 1.1239 + 1.1328 / (b - 3.4);
  double quick = 0.9277 - 3.6224 / (b - 2);
  double log_rate = -NegativeLog(rate);
  for (int draw = 0; draw < ElementStream::kMaxDraws; ++draw) {
    RandomBlock bits = stream.Next();
    double u = UniformDouble(bits[0], bits[1]) - 0.5;
    double v = 1 - UniformDouble(bits[2], bits[3]);
    double us = 0.5 - std::fabs(u);
    if (us <= 0) continue;
    double k = std::floor((2 * a / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= quick) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    double left = -NegativeLog(v * inverse / (a / (us * us) + b));
    if (left <= k * log_rate - rate - LogFactorial(k)) return k;
  }
  return std::floor(rate);
}

double Draw(double rate, uint32_t word, ElementStream& stream) {
  return rate < 10 ? DrawSmall(rate, word) : DrawLarge(rate, stream);
}

Status Launch(KernelContext& ctx) {
  return random_op::DrawEach(
      ctx, [](double r) { return r >= 0 && std::isfinite(r); }, Draw,
      "a finite number of at least 0");
}

}  // namespace

SL_OP(RandomPoisson)
    .doc(
        "A random count of the Poisson distribution for every rate. They "
        "depend on the session's seed, this op's seed and place in the graph, "
        "and the step, and on nothing else.")
    .input("rate: T")
    .input(random_op::kTagInput)
    .output("y: T")
    .types("T", kFloats)
    .attr("seed", 0, random_op::kSeedDoc)
    .shape(shapes::same_as_first)
    .no_grad("it draws whole numbers, which jump as rate moves")
    .batch(batch_rules::leading)
    .cpu(Launch)
    .random()
    .samples({{.in = {{8, 5}}, .lo = 0.5, .hi = 9},
              {.in = {{1500}}, .attrs = {{"seed", 2}}, .lo = 10, .hi = 500},
              {.in = {{3}}, .lo = 0, .hi = 0},
              {.in = {Shape()}, .lo = 1, .hi = 1},
              {.in = {{0, 3}}}})
    .rejects({{.in = {Array::Vector<float>({1, -1})},
               .message = "[RandomPoisson] rate[1] is -1; wanted a finite "
                          "number of at least 0"},
              {.in = {Array::Vector<double>({NAN})},
               .message = "[RandomPoisson] rate[0] is nan; wanted"}});

}  // namespace sluice
