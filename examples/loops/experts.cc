// A mixture of experts learns something else for every quadrant of the plane.
//   example-experts [steps]
#include "examples/loops/experts.h"

#include <cstdio>
#include <cstdlib>

namespace sl = sluice;

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 1500;
  sl::manual_seed(1);
  sl::loops::Experts net({.experts = 8, .chosen = 2});
  sl::optim::Adam adam(net.parameters(), {.lr = 5e-3});
  auto train = sl::function([&](sl::Tensor x, sl::Tensor y) {
    auto routes = net.route(x);
    sl::Tensor error = sl::mse_loss(net.mix(x, routes), y);
    adam.zero_grad();
    (error + 0.01f * routes.balance).backward();
    adam.step();
    return std::pair(error, routes.balance);
  });
  double first = 0, recent = 0;
  for (int i = 0; i < steps; ++i) {
    sl::Tensor x = sl::random_normal({64, 2});
    auto [error, balance] = train(x, sl::loops::turned_by_quadrant(x));
    double now = error.item<float>();
    if (i == 0) first = recent = now;
    recent += 0.05 * (now - recent);
    if (i % 250 == 0 || i + 1 == steps) {
      std::printf("step %5d  error %.4f  balance %.2f\n", i, recent,
                  static_cast<double>(balance.item<float>()));
    }
  }

  // One point asks two experts; the other six do not run.
  auto ask = sl::function([&](sl::Tensor x) { return net(x); });
  net.runs.zero_();
  ask(sl::constant({{1.0f, 0.5f}}));
  std::printf("for one point ran experts");
  std::vector<int64_t> runs = net.runs.to_vector<int64_t>();
  for (size_t e = 0; e < runs.size(); ++e) {
    if (runs[e] > 0) std::printf(" %zu", e);
  }
  bool learned = recent < 0.5 * first;
  std::printf("\nthe turns were %s\n", learned ? "learned" : "not learned");
}
