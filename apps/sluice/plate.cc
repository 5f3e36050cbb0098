#include "apps/sluice/plate.h"

#include <cmath>
#include <numbers>

namespace sluice::app {

namespace {

constexpr double kPi = std::numbers::pi;

// The edges at their temperatures, everything inside 0.
Array Edges(int64_t n) {
  int64_t side = n + 2;
  Array edges = Array::Zeros(DType::kF64, {side, side});
  for (int64_t j = 0; j < side; ++j) {
    double x = static_cast<double>(j) / static_cast<double>(n + 1);
    edges.mutable_data<double>()[j] = 400 * x * (1 - x);
  }
  return edges;
}

}  // namespace

PlateGraph::PlateGraph(int64_t n, int64_t sweeps) {
  GraphScope building(graph);
  Tensor edges = constant(Edges(n), "edges");
  plate = variable(edges, "plate");
  Tensor u = plate, before = u;
  for (int64_t i = 0; i < sweeps; ++i) {
    NameScope sweep("sweep");
    before = u;
    Tensor above = slice(u, {0, 1}, {n, n}), below = slice(u, {2, 1}, {n, n});
    Tensor left = slice(u, {1, 0}, {n, n}), right = slice(u, {1, 2}, {n, n});
    Tensor mean = (above + below + left + right) * 0.25;
    u = pad(mean, {1, 1, 1, 1}) + edges;
  }
  relax = plate.assign(u, "relax");
  change = max(abs(u - before), {}, "change");
  initialize = initialize_variables(graph);
}

double ErrorLeft(double change, int64_t n) {
  double factor = std::cos(kPi / static_cast<double>(n + 1));
  return change * factor / (1 - factor);
}

std::vector<double> ExactPlate(int64_t n) {
  // 400 x (1 - x) is the sum over odd k of 3200 / (pi k)^3 sin(k pi x); each
  // term fades downwards as sinh(k pi y) / sinh(k pi).
  constexpr int kTerms = 200;
  int64_t side = n + 2;
  double h = 1.0 / static_cast<double>(n + 1);
  std::vector<double> u(static_cast<size_t>(side * side));
  for (int k = 1; k < 2 * kTerms; k += 2) {
    double a = k * kPi;
    for (int64_t i = 0; i < side; ++i) {
      double depth = static_cast<double>(i) * h, y = 1 - depth;
      // sinh by exponentials that cannot overflow.
      double fade = std::exp(-a * depth) * (1 - std::exp(-2 * a * y)) /
                    (1 - std::exp(-2 * a));
      double factor = 3200 / (a * a * a) * fade;
      if (std::fabs(factor) < 1e-12) continue;
      for (int64_t j = 0; j < side; ++j) {
        u[static_cast<size_t>(i * side + j)] +=
            factor * std::sin(a * static_cast<double>(j) * h);
      }
    }
  }
  return u;
}

}  // namespace sluice::app
