#include "examples/loops/ponder.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sluice::loops {
namespace {

// One example in plain code, to compare with.
struct Plain {
  std::vector<double> state;
  int rounds = 0;
  double cost = 0;
};
Plain PonderAlone(PonderNet& net, const Tensor& x, const PonderOptions& o) {
  NoGrad off;
  Plain end;
  Tensor state = zeros({1, net.halt.in_features}, f64), mean = state;
  double sure = 0;
  for (bool last = false; !last; ++end.rounds) {
    state = net.round(x, state, constant(end.rounds == 0 ? 1.0 : 0.0));
    double share = sigmoid(net.halt(state)).item<double>();
    last = sure + share >= o.enough || end.rounds + 1 >= o.max_rounds;
    if (last) end.cost = end.rounds + 1 + 1 - sure;
    mean = mean + (last ? 1 - sure : share) * state;
    sure += share;
  }
  end.state = mean.to_vector<double>();
  return end;
}

TEST(Ponder, EachExampleIsAsIfAlone) {
  manual_seed(4);
  PonderNet net(5, 6, f64);
  for (int64_t most : {3, 20}) {
    PonderOptions options{.max_rounds = most};
    ParityBatch batch = parity(9, 5, 1, f64);
    Pondered end = net.ponder(batch.x, options);
    auto captured = function([&](Tensor x) {
      Pondered p = net.ponder(x, options);
      return std::vector<Tensor>{p.state, p.rounds, p.cost};
    });
    std::vector<Tensor> same = captured(batch.x);
    std::vector<double> states = end.state.to_vector<double>();
    std::vector<double> rounds = end.rounds.to_vector<double>();
    std::vector<double> costs = end.cost.to_vector<double>();
    EXPECT_EQ(same[0].to_vector<double>(), states);
    EXPECT_EQ(same[1].to_vector<double>(), rounds);
    EXPECT_EQ(same[2].to_vector<double>(), costs);
    bool differ = false;
    for (int64_t i = 0; i < 9; ++i) {
      auto at = static_cast<size_t>(i);
      Plain alone = PonderAlone(net, batch.x.at({slice(i, i + 1)}), options);
      EXPECT_EQ(rounds[at], alone.rounds);
      EXPECT_NEAR(costs[at], alone.cost, 1e-12);
      for (size_t k = 0; k < 6; ++k) {
        EXPECT_NEAR(states[at * 6 + k], alone.state[k], 1e-12);
      }
      differ = differ || rounds[at] != rounds[0];
    }
    if (most == 20) {
      EXPECT_TRUE(differ) << "examples should not all halt together";
    }
  }
}

TEST(Ponder, GradientAgainstDifferences) {
  manual_seed(5);
  PonderNet net(4, 3, f64);
  ParityBatch batch = parity(5, 4, 2, f64);
  // The network's weights in place of those given to it.
  TensorFn loss = [&](const std::vector<Tensor>& w) {
    net.see.weight = w[0], net.think.weight = w[1];
    net.halt.weight = w[2], net.halt.bias = w[3];
    auto [error, cost] = net.losses(batch.x, batch.odd);
    return std::vector<Tensor>{error, cost};
  };
  std::vector<Tensor> at = {net.see.weight, net.think.weight, net.halt.weight,
                            net.halt.bias};
  gradcheck(loss, at);
  auto captured = function(loss);
  gradcheck([&](const auto& w) { return captured(w); }, at);
}

TEST(Ponder, LearnsParity) {
  manual_seed(1);
  PonderNet net(3, 24);
  optim::Adam adam(net.parameters(), {.lr = 0.01});
  auto step = function([&](Tensor x, Tensor odd) {
    auto [error, cost] = net.losses(x, odd);
    adam.zero_grad();
    (error + 1e-3f * cost).backward();
    adam.step();
    return error;
  });
  float last = 0;
  for (uint64_t i = 0; i < 250; ++i) {
    ParityBatch batch = parity(64, 3, i);
    last = step(batch.x, batch.odd).item<float>();
  }
  EXPECT_LT(last, 0.2f) << "chance is " << std::log(2.0);
  EXPECT_EQ(step.traces().size(), 1u);
}

TEST(Ponder, TimeThatCostsMoreIsSpentLess) {
  auto rounds_at = [](float price) {
    manual_seed(1);
    PonderNet net(3, 16);
    optim::Adam adam(net.parameters(), {.lr = 0.01});
    auto step = function([&](Tensor x, Tensor odd) {
      auto [error, cost] = net.losses(x, odd);
      adam.zero_grad();
      (error + price * cost).backward();
      adam.step();
    });
    for (uint64_t i = 0; i < 60; ++i) {
      ParityBatch batch = parity(32, 3, i);
      step(batch.x, batch.odd);
    }
    NoGrad off;
    return mean(net.ponder(parity(200, 3, 99).x).rounds).item<float>();
  };
  EXPECT_LT(rounds_at(0.5f) + 0.5f, rounds_at(0));
}

}  // namespace
}  // namespace sluice::loops
