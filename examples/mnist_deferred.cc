// Handwritten digits read by a network of one hidden layer: defined as a graph,
// then run. The same network imperatively: mnist_imperative.cc.
//
// Prints:
//   more than 9 of 10 digits are read right: yes
#include <sluice/sluice.h>

#include <cstdio>

namespace sl = sluice;

int main() {
  sl::Graph graph;
  sl::Tensor x, y, loss, right;
  sl::Operation train;
  {
    sl::GraphScope building(graph);  // ops in this scope are recorded, not run
    x = sl::placeholder(sl::f32, {sl::any, 784}, "x");
    y = sl::placeholder(sl::i64, {sl::any}, "y");
    auto w1 = sl::variable(0.1 * sl::random_uniform({784, 100}) - 0.05, "w1");
    auto b1 = sl::variable(sl::zeros({100}), "b1");
    auto w2 = sl::variable(0.1 * sl::random_uniform({100, 10}) - 0.05, "w2");
    auto b2 = sl::variable(sl::zeros({10}), "b2");
    auto hidden = sl::relu(sl::matmul(x, w1) + b1);
    auto logits = sl::matmul(hidden, w2) + b2;
    loss = sl::mean(sl::softmax_cross_entropy(logits, y));
    train = sl::optim::Adagrad(0.02).minimize(loss);
    auto read = sl::argmax(logits, {.axis = 1});
    right = sl::mean(sl::cast(sl::equal(read, y), sl::f32));
  }

  sl::Session session(graph);
  session.run(sl::initialize_variables(graph));
  auto digits = sl::data::mnist("train").shuffle(10000, 1).batch(64);
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (auto& [images, labels] : digits) {
      session.run(train, {{x, images}, {y, labels}});
    }
  }
  for (auto& [images, labels] : sl::data::mnist("test").batch(2000)) {
    float share =
        session.run(right, {{x, images}, {y, labels}}).data<float>()[0];
    std::printf("more than 9 of 10 digits are read right: %s\n",
                share > 0.9f ? "yes" : "no");
  }
}
