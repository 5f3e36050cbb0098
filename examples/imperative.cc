// A small network trained imperatively, then the same code captured as one
// plan.
// Prints:
//   exclusive or: learned
#include <sluice/sluice.h>

#include <cstdio>

namespace sl = sluice;

namespace {

struct Net {
  sl::Tensor w1 = 2 * sl::random_uniform({2, 16}) - 1;
  sl::Tensor b1 = sl::zeros({16}).clone();
  sl::Tensor w2 = 2 * sl::random_uniform({16, 1}) - 1;
  sl::Tensor b2 = sl::zeros({1}).clone();
  std::vector<sl::Tensor> parameters = {w1, b1, w2, b2};

  Net() {
    for (sl::Tensor& p : parameters) p.requires_grad_();
  }
  sl::Tensor operator()(const sl::Tensor& x) const {
    return sl::matmul(sl::tanh(sl::matmul(x, w1) + b1), w2) + b2;
  }
  // One step down the slope of the squared error.
  sl::Tensor Train(const sl::Tensor& x, const sl::Tensor& y) const {
    sl::Tensor error = (*this)(x)-y;
    sl::Tensor loss = sl::mean(error * error);
    for (const sl::Tensor& p : parameters) p.zero_grad();
    loss.backward();
    sl::NoGrad update;
    for (const sl::Tensor& p : parameters) p.sub_(0.2f * p.grad());
    return loss.detach();
  }
};

}  // namespace

int main() {
  sl::manual_seed(1);
  sl::Tensor x = sl::constant({{0.f, 0.f}, {0.f, 1.f}, {1.f, 0.f}, {1.f, 1.f}});
  sl::Tensor y = sl::constant({{0.f}, {1.f}, {1.f}, {0.f}});

  Net net;
  for (int step = 0; step < 300; ++step) net.Train(x, y);  // run as written
  auto step = sl::function([&](sl::Tensor a, sl::Tensor b) {
    return net.Train(a, b);  // recorded once, run as one plan
  });
  sl::Tensor loss;
  for (int i = 0; i < 1700; ++i) loss = step(x, y);

  bool learned = loss.item<float>() < 0.01f;
  std::printf("exclusive or: %s\n", learned ? "learned" : "not learned");
  return learned ? 0 : 1;
}
