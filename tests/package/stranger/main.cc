// A stranger's program: knows nothing of Sluice but what is installed. It fits
// a line imperatively, then with the step recorded as a function, calls an op
// of its own, and makes a mistake.
#include <sluice/sluice.h>

#include <cmath>
#include <cstdio>

namespace sl = sluice;

int main() {
  sl::Tensor x = sl::constant({0.0f, 1.0f, 2.0f, 3.0f});
  sl::Tensor y = sl::constant({1.0f, 3.0f, 5.0f, 7.0f});
  sl::Tensor slope = sl::constant(0.0f), offset = sl::constant(0.0f);
  slope.requires_grad_();
  offset.requires_grad_();

  auto fit = [&](sl::Tensor inputs, sl::Tensor wanted) {
    sl::Tensor loss = sl::mean(sl::square(slope * inputs + offset - wanted));
    slope.zero_grad();
    offset.zero_grad();
    loss.backward();
    sl::NoGrad off;
    slope.sub_(0.05f * slope.grad());
    offset.sub_(0.05f * offset.grad());
    return loss;
  };
  // Training with layers, an optimizer and events for TensorBoard belongs here
  // as soon as <sluice/sluice.h> has them.
  for (int i = 0; i < 100; ++i) fit(x, y);
  auto recorded = sl::function(fit);
  for (int i = 0; i < 400; ++i) recorded(x, y);
  std::printf("y = %.2f x + %.2f\n", slope.item<float>(), offset.item<float>());

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
  return std::fabs(slope.item<float>() - 2) < 0.01f ? 0 : 1;
}
