#include <cmath>

#include "sluice/op/batch_rules.h"
#include "sluice/ops/random/gamma_poisson.h"

namespace sluice {
namespace {

// Marsaglia and Tsang: a cubed normal number, accepted more than 95 times of a
// hundred.
double Draw(double alpha, uint32_t, ElementStream& stream) {
  double scale = 1;
  if (alpha < 1) {
    // gamma(a) is gamma(a + 1) u^(1/a).
    scale = StrictExp(-NegativeLog(1 - stream.Uniform()) / alpha);
    alpha += 1;
  }
  double d = alpha - 1.0 / 3, c = 1 / std::sqrt(9 * d), v = 1;
  for (int draw = 0; draw < ElementStream::kMaxDraws / 2; ++draw) {
    double x = stream.Normals().a, u = 1 - stream.Uniform();
    v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    if (u < 1 - 0.0331 * (x * x) * (x * x)) break;  // sure, and without logs
    if (-NegativeLog(u) < 0.5 * x * x + d - d * v - d * NegativeLog(v)) break;
  }
  return v > 0 ? scale * d * v : 0;
}

Status Launch(KernelContext& ctx) {
  return random_op::DrawEach(
      ctx, [](double a) { return a > 0 && std::isfinite(a); }, Draw,
      "a finite number above 0");
}

}  // namespace

SL_OP(RandomGamma)
    .doc(
        "A random number of the gamma distribution with scale 1 for every "
        "shape parameter alpha. They depend on the session's seed, this op's "
        "seed and place in the graph, and the step, and on nothing else.")
    .input("alpha: T")
    .input(random_op::kTagInput)
    .output("y: T")
    .types("T", kFloats)
    .attr("seed", 0, random_op::kSeedDoc)
    .shape(shapes::same_as_first)
    .no_grad(
        "it draws again where a draw is refused, which jumps as alpha moves")
    .batch(batch_rules::leading)
    .cpu(Launch)
    .random()
    .samples({{.in = {{4, 5}}, .lo = 0.1, .hi = 4},
              {.in = {{1500}}, .attrs = {{"seed", 2}}, .lo = 0.5, .hi = 50},
              {.in = {Shape()}, .lo = 1, .hi = 1},
              {.in = {{0, 3}}}})
    .rejects({{.in = {Array::Vector<float>({1, 0})},
               .message = "[RandomGamma] alpha[1] is 0; wanted a finite "
                          "number above 0"},
              {.in = {Array::Vector<float>({-1})},
               .message = "[RandomGamma] alpha[0] is -1; wanted"},
              {.in = {Array::Vector<double>({NAN})},
               .message = "[RandomGamma] alpha[0] is nan; wanted"},
              {.in = {Array::Vector<double>({INFINITY})},
               .message = "[RandomGamma] alpha[0] is inf; wanted"}});

}  // namespace sluice
