// A network learns the motion along a spiral from pieces of it.
//   example-neural-ode [steps]
#include "examples/loops/neural_ode.h"

#include <cstdio>
#include <cstdlib>
#include <random>

namespace sl = sluice;

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 600;
  constexpr int64_t kPoints = 400, kTimes = 8, kBatch = 16;
  constexpr double kApart = 0.05;
  sl::manual_seed(1);
  sl::Tensor path = sl::loops::spiral(kPoints, kApart);
  sl::loops::MotionNet net(32);
  sl::optim::Adam adam(net.parameters(), {.lr = 3e-3});
  auto train = sl::function([&](sl::Tensor paths) {
    auto moves = [&](auto, auto y) { return net(y); };
    auto [loss, tries] = sl::loops::follow(moves, paths, kApart);
    adam.zero_grad();
    loss.backward();
    adam.step();
    return std::pair(loss, tries);
  });

  std::mt19937 random(1);
  double first = 0, recent = 0;
  for (int i = 0; i < steps; ++i) {
    // Row t holds every path's point t.
    std::vector<int64_t> at(kTimes * kBatch);
    for (int64_t b = 0; b < kBatch; ++b) {
      auto from = static_cast<int64_t>(random() % (kPoints - kTimes));
      for (int64_t t = 0; t < kTimes; ++t) {
        at[static_cast<size_t>(t * kBatch + b)] = from + t;
      }
    }
    auto [loss, tries] = train(
        sl::gather(path, sl::reshape(sl::constant(at), {kTimes, kBatch})));
    double now = loss.item<float>();
    if (i == 0) first = recent = now;
    recent += 0.1 * (now - recent);
    if (i % 100 == 0 || i + 1 == steps) {
      std::printf("step %4d  loss %.6f  solver steps %lld\n", i, recent,
                  static_cast<long long>(tries.item<int64_t>()));
    }
  }
  bool learned = recent < 0.3 * first;
  std::printf("the motion was %s\n", learned ? "learned" : "not learned");
}
