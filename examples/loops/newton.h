// Newton's method: the root of an equation, by a loop that runs until it stands
// still. The slope is taken inside the loop, and gradients go through it: the
// root is a function of what the equation reads, with derivatives of its own.
//
//   auto root = newton([&](sl::Tensor z) { return z * z - a; }, a);
//   auto slope = sl::grad(sl::sum(root.value), a);      // 1 / (2 sqrt(a))
//
// Plain functions of tensors: at once, captured or in a graph.
#pragma once

#include <sluice/sluice.h>

namespace sluice::loops {

struct NewtonOptions {
  double tolerance = 1e-12;  // of the last step
  int64_t max_steps = 60;
};

struct Root {
  Tensor value;
  Tensor steps;  // i64
};

// Where f, which works elementwise, is zero, beginning at `start`. All elements
// go on until the last of them has arrived.
inline Root newton(const std::function<Tensor(const Tensor&)>& f,
                   const Tensor& start, const NewtonOptions& options = {}) {
  auto [z, step, steps] =
      while_loop([&](Tensor, Tensor step,
                     Tensor) { return max(abs(step)) > options.tolerance; },
                 [&](Tensor z, Tensor, Tensor steps) {
                   auto [y, slope] = value_and_grad(f, z);
                   Tensor step = y / slope;
                   return std::tuple(z - step, step, steps + 1);
                 },
                 start, ones_like(start), int64_t{0},
                 {.maximum_iterations = options.max_steps});
  return {z, steps};
}

// Kepler's equation E - e sin(E) = M: how far round its orbit of eccentricity e
// a planet is (E, the angle seen from the middle) when M of 2 pi of its year
// have passed. It has no closed solution.
inline Root kepler(const Tensor& eccentricity, const Tensor& mean_anomaly,
                   const NewtonOptions& options = {}) {
  auto equation = [&](const Tensor& z) {
    return z - eccentricity * sin(z) - mean_anomaly;
  };
  // From here it converges for every orbit.
  constexpr double kPi = 3.14159265358979323846;
  return newton(equation, zeros_like(eccentricity + mean_anomaly) + kPi,
                options);
}

// Its derivatives by the implicit function theorem, to compare with.
struct KeplerSlopes {
  Tensor by_eccentricity, by_anomaly, by_anomaly_twice;
};
inline KeplerSlopes kepler_slopes(const Tensor& eccentricity,
                                  const Tensor& angle) {
  Tensor below = 1 - eccentricity * cos(angle);
  return {sin(angle) / below, 1 / below,
          -(eccentricity * sin(angle)) / (below * below * below)};
}

}  // namespace sluice::loops
