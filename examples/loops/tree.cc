// A network that reads logical expressions as trees, by recursion in the graph:
// one recorded plan learns from trees of every form.
//
// Prints:
//   one recording for all trees: yes
//   new expressions judged right: more than 9 of 10
#include "examples/loops/tree.h"

#include <cstdio>

namespace sl = sluice;

int main() {
  auto weights = sl::loops::tree_weights(16, sl::f32, /*seed=*/1);
  sl::optim::Adam adam(weights, {.lr = 1e-2});
  auto step = sl::function([&](sl::Tensor symbols, sl::Tensor left,
                               sl::Tensor right, sl::Tensor truth) {
    auto [logit, loss] =
        sl::loops::evaluate(weights, {symbols, left, right, truth});
    adam.zero_grad();
    loss.backward();
    adam.step();
    return loss;
  });
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    sl::loops::Tree t = sl::loops::random_tree(seed, 4);
    step(t.symbols, t.left, t.right, t.truth);
  }
  std::printf("one recording for all trees: %s\n",
              step.traces().size() == 1 ? "yes" : "no");

  int right = 0;
  const int asked = 200;
  for (uint64_t seed = 0; seed < asked; ++seed) {
    sl::loops::Tree t = sl::loops::random_tree(1'000'000 + seed, 4);
    float logit = sl::loops::evaluate(weights, t).logit.item<float>();
    right += (logit > 0) == (t.truth.to_vector<float>()[0] > 0);
  }
  std::printf("new expressions judged right: %s\n",
              right > asked * 9 / 10 ? "more than 9 of 10" : "fewer");
}
