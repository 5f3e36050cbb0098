// Where planets are: Kepler's equation solved by Newton's method in a loop of
// the graph, with gradients through its iterations; then the shape of an orbit
// found from where its planet was seen, by descending those gradients.
#include "examples/loops/newton.h"

#include <cmath>
#include <cstdio>

namespace sl = sluice;

namespace {

// How far gradients through the loop are from the implicit function theorem.
bool ShowSlopes() {
  sl::Tensor e =
      sl::constant({0.0167, 0.2056, 0.8269, 0.9671}).requires_grad_();
  sl::Tensor m = sl::constant({1.0, 1.0, 1.0, 1.0}).requires_grad_();
  auto solve = sl::function([](sl::Tensor e, sl::Tensor m) {
    sl::loops::Root root = sl::loops::kepler(e, m);
    auto first = sl::grad(sl::sum(root.value), {e, m});
    return std::vector<sl::Tensor>{root.value, root.steps, first[0], first[1]};
  });
  auto found = solve(e, m);
  auto slopes = sl::loops::kepler_slopes(e, found[0]);
  const char* names[] = {"Earth", "Mercury", "Icarus", "Halley"};
  auto angle = found[0].to_vector<double>();
  auto by_e = found[2].to_vector<double>(), by_m = found[3].to_vector<double>();
  std::printf("%lld steps\n%-8s %10s %10s %10s\n",
              static_cast<long long>(found[1].item<int64_t>()), "", "E",
              "dE/de", "dE/dM");
  for (size_t i = 0; i < angle.size(); ++i) {
    std::printf("%-8s %10.6f %10.6f %10.6f\n", names[i], angle[i], by_e[i],
                by_m[i]);
  }
  sl::Tensor off =
      sl::maximum(sl::max(sl::abs(found[2] - slopes.by_eccentricity)),
                  sl::max(sl::abs(found[3] - slopes.by_anomaly)));
  std::printf("largest difference from the implicit derivatives: %.1e\n",
              off.item<double>());
  return off.item<double>() < 1e-8;
}

// An orbit's eccentricity from angles seen at known times.
bool FitOrbit() {
  sl::Tensor times = sl::linspace(0.3, 6.0, 12);
  sl::Tensor seen =
      sl::loops::kepler(sl::constant(0.2056), times).value.detach();
  sl::Tensor e = sl::constant(0.7).clone().requires_grad_();
  auto step = sl::function([&](sl::Tensor times, sl::Tensor seen) {
    sl::Tensor error = sl::loops::kepler(e, times).value - seen;
    sl::Tensor loss = sl::mean(error * error);
    e.zero_grad();
    loss.backward();
    sl::NoGrad update;
    e.sub_(0.3 * e.grad());
    return loss;
  });
  for (int i = 0; i < 40; ++i) {
    double loss = step(times, seen).item<double>();
    if (i % 10 == 0) std::printf("step %2d  error %.2e\n", i, loss);
  }
  std::printf("eccentricity of Mercury: %.6f\n", e.item<double>());
  return std::abs(e.item<double>() - 0.2056) < 1e-5;
}

}  // namespace

int main() {
  bool right = ShowSlopes();
  return FitOrbit() && right ? 0 : 1;
}
