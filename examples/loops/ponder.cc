// A network that takes its time learns the parity of bits, and thinks longer
// about longer ones.
//   example-ponder [steps]
#include "examples/loops/ponder.h"

#include <cstdio>
#include <cstdlib>

namespace sl = sluice;

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 2000;
  constexpr int64_t kSize = 6, kBatch = 128;
  constexpr double kPriceOfTime = 0.02;
  sl::manual_seed(1);
  sl::loops::PonderNet net(kSize, 64);
  sl::optim::Adam adam(net.parameters(), {.lr = 3e-3});
  auto train = sl::function([&](sl::Tensor x, sl::Tensor odd) {
    auto [error, cost] = net.losses(x, odd);
    adam.zero_grad();
    (error + kPriceOfTime * cost).backward();
    adam.step();
    return std::pair(error, cost);
  });
  double first = 0, recent = 0;
  for (int i = 0; i < steps; ++i) {
    auto batch = sl::loops::parity(kBatch, kSize, static_cast<uint64_t>(i));
    auto [error, cost] = train(batch.x, batch.odd);
    double now = error.item<float>();
    if (i == 0) first = recent = now;
    recent += 0.05 * (now - recent);
    if (i % 500 == 0 || i + 1 == steps) {
      std::printf("step %5d  error %.4f  ponder cost %.2f\n", i, recent,
                  static_cast<double>(cost.item<float>()));
    }
  }

  // Right answers and rounds, by the number of places that count.
  auto test = sl::loops::parity(2000, kSize, 1u << 20);
  sl::NoGrad off;
  sl::loops::Pondered end = net.ponder(test.x);
  auto yes = net.answer(end.state).to_vector<float>();
  auto odd = test.odd.to_vector<float>();
  auto places = test.places.to_vector<float>();
  auto rounds = end.rounds.to_vector<float>();
  for (int n = 1; n <= kSize; ++n) {
    int count = 0, right = 0;
    float thought = 0;
    for (size_t i = 0; i < yes.size(); ++i) {
      if (static_cast<int>(places[i]) != n) continue;
      ++count, right += (yes[i] > 0) == (odd[i] > 0), thought += rounds[i];
    }
    std::printf("%d places: %5.1f %% right, %.2f rounds\n", n,
                100.0 * right / count, static_cast<double>(thought) / count);
  }
  bool learned = recent < 0.6 * first;
  std::printf("parity was %s\n", learned ? "learned" : "not learned");
}
