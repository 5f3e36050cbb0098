// Handwritten digits read by a network of one hidden layer, run as written;
// then the same step captured as one plan. The network as a graph that is
// defined first: mnist_deferred.cc.
//
// Prints:
//   run as written, more than 8 of 10 digits are read right: yes
//   captured, more than 9 of 10 digits are read right: yes
#include <sluice/sluice.h>

#include <cstdio>

namespace sl = sluice;

namespace {

struct Net : sl::nn::Module {
  sl::nn::Linear fc1{784, 100}, fc2{100, 10};
  Net() { add("fc1", fc1), add("fc2", fc2); }
  sl::Tensor forward(sl::Tensor x) override { return fc2(sl::relu(fc1(x))); }
};

double ShareRight(Net& net) {
  auto unseen = sl::data::mnist("test").batch(500);
  return sl::train::classify(net, unseen).confusion.accuracy();
}

}  // namespace

int main() {
  sl::manual_seed(1);
  Net net;
  sl::optim::Adagrad optimizer(net.parameters(), {.lr = 0.02});
  auto digits = sl::data::mnist("train").shuffle(10000, 1).batch(64);

  auto step = [&](sl::Tensor images, sl::Tensor labels) {
    auto loss = sl::cross_entropy(net(images), labels);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    return loss.detach();
  };
  for (auto& [images, labels] : digits) step(images, labels);
  std::printf("run as written, more than 8 of 10 digits are read right: %s\n",
              ShareRight(net) > 0.8 ? "yes" : "no");

  auto captured = sl::function(step);  // the same code, recorded once
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (auto& [images, labels] : digits) captured(images, labels);
  }
  std::printf("captured, more than 9 of 10 digits are read right: %s\n",
              ShareRight(net) > 0.9 ? "yes" : "no");
}
