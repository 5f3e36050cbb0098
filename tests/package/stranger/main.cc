// A stranger's program: knows nothing of Sluice but what is installed. It fits
// a line with a layer and an optimizer, first as written and then with the step
// recorded as a function, writes events, calls an op of its own, and makes a
// mistake.
#include <sluice/sluice.h>

#include <cmath>
#include <cstdio>

namespace sl = sluice;

int main(int, char** arguments) {
  sl::Tensor x = sl::constant({{0.0f}, {1.0f}, {2.0f}, {3.0f}});
  sl::Tensor y = sl::constant({{1.0f}, {3.0f}, {5.0f}, {7.0f}});
  sl::nn::Linear line(1, 1);
  sl::optim::Adam adam(line.parameters(), {.lr = 0.05});
  sl::report::EventWriter events(arguments[1]);

  auto fit = [&](sl::Tensor inputs, sl::Tensor wanted) {
    sl::Tensor loss = sl::mean(sl::square(line(inputs) - wanted));
    adam.zero_grad();
    loss.backward();
    adam.step();
    return loss.detach();
  };
  for (int i = 0; i < 100; ++i) events.scalar("loss", fit(x, y), i);
  auto recorded = sl::function(fit);
  for (int i = 100; i < 1000; ++i) events.scalar("loss", recorded(x, y), i);
  float slope = line.weight.item<float>(), offset = line.bias.item<float>();
  std::printf("y = %.2f x + %.2f\n", slope, offset);

  sl::Tensor z = sl::constant(3.0f);
  z.requires_grad_();
  sl::Tensor twice = sl::call("StrangersTwice", {z})[0];
  twice.backward();
  std::printf("own op: %.1f, gradient %.1f\n", twice.item<float>(),
              z.grad().item<float>());

  try {
    sl::matmul(sl::zeros({2, 3}), sl::zeros({4, 5}));
    return 1;
  } catch (const sl::Error& e) {
    std::printf("%s\n", e.what());
  }
  return std::fabs(slope - 2) < 0.01f ? 0 : 1;
}
