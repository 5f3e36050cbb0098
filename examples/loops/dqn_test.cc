// examples/loops/dqn.h: one agent, run in every way, and it learns.
#include "examples/loops/dqn.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace sluice::loops {
namespace {

double Mean(const std::vector<int64_t>& v) {
  return static_cast<double>(std::accumulate(v.begin(), v.end(), int64_t{0})) /
         static_cast<double>(v.size());
}

void ExpectSame(const DqnLog& a, const DqnLog& b) {
  EXPECT_EQ(a.actions, b.actions);
  EXPECT_EQ(a.rewards, b.rewards);
  EXPECT_EQ(a.losses, b.losses);
  EXPECT_EQ(a.over, b.over);
}

// The pole as a plain program has it.
TEST(CartPole, MovesAsTheEquationsSay) {
  Tensor state = constant({0.1f, -0.2f, 0.05f, 0.3f});
  double x = 0.1, v = -0.2, a = 0.05, w = 0.3;
  for (int i = 0; i < 20; ++i) {
    int64_t action = i % 3 == 0;
    CartPole::Outcome next = CartPole::push(state, constant(action));
    double push = action ? 10 : -10;
    double thrust = (push + 0.05 * w * w * std::sin(a)) / 1.1;
    double turning = (9.8 * std::sin(a) - std::cos(a) * thrust) /
                     (0.5 * (4.0 / 3 - 0.1 * std::pow(std::cos(a), 2) / 1.1));
    double pushing = thrust - 0.05 * turning * std::cos(a) / 1.1;
    x += 0.02 * v;
    v += 0.02 * pushing;
    a += 0.02 * w;
    w += 0.02 * turning;
    state = next.state;
    std::vector<float> got = state.to_vector<float>();
    EXPECT_NEAR(got[0], x, 1e-5);
    EXPECT_NEAR(got[1], v, 1e-5);
    EXPECT_NEAR(got[2], a, 1e-5);
    EXPECT_NEAR(got[3], w, 1e-4);
    bool fell = std::abs(x) > 2.4 || std::abs(a) > 0.20944;
    EXPECT_EQ(next.fell.item<bool>(), fell);
    EXPECT_EQ(next.reward.item<float>() == 0.0f, fell);
  }
}

TEST(Dqn, InTheGraphAndFromTheClientAreTheSameBitByBit) {
  DqnLoop loop({.seed = 3});
  DqnClient client({.seed = 3}), prepared({.seed = 3}, /*prepared=*/true);
  DqnLog in_graph = loop.run(400);
  ASSERT_EQ(in_graph.losses.size(), 400u);
  // Something happened: it trained, and episodes ended.
  EXPECT_GT(in_graph.losses.back(), 0);
  EXPECT_GT(in_graph.episodes().size(), 5u);
  ExpectSame(in_graph, client.run(400));
  ExpectSame(in_graph, prepared.run(400));
  // Another seed is another story.
  EXPECT_NE(DqnLoop({.seed = 4}).run(400).rewards, in_graph.rewards);
}

TEST(Dqn, AtOnceIsTheSameToo) {
  DqnOptions options{.warm_up = 16, .sync_every = 10, .seed = 2};
  DqnLog want = DqnLoop(options).run(60), got;
  Dqn agent(options);
  Dqn::Now now = agent.begin();
  for (int64_t i = 0; i < 60; ++i) {
    Dqn::Outcome o = agent.step(constant(i), now);
    now = o.next;
    got.actions.push_back(o.action.item<int64_t>());
    got.rewards.push_back(o.reward.item<float>());
    got.losses.push_back(o.loss.item<float>());
    got.over.push_back(o.over.item<bool>());
  }
  ExpectSame(want, got);
}

// A loop in a captured function, over imperative variables.
TEST(Dqn, CapturedIsTheSameToo) {
  DqnOptions options{.warm_up = 16, .sync_every = 10, .seed = 2};
  DqnLog want = DqnLoop(options).run(120);
  Dqn agent(options);
  auto run = function([&](Tensor from, Tensor to, Tensor state, Tensor age) {
    auto [i, last, last_age, losses] =
        while_loop([&](Tensor i, Tensor, Tensor, List) { return i < to; },
                   [&](Tensor i, Tensor state, Tensor age, List losses) {
                     Dqn::Outcome o = agent.step(i, {state, age});
                     return std::tuple(i + 1, o.next.state, o.next.age,
                                       losses.append(o.loss));
                   },
                   from, state, age, List(f32, Shape()));
    return std::tuple(last, last_age, losses.stack());
  });
  Dqn::Now now = agent.begin();
  std::vector<float> got;
  for (int64_t i : {0, 40, 80}) {
    Tensor losses;
    std::tie(now.state, now.age, losses) =
        run(constant(i), constant(i + 40), now.state, now.age);
    for (float loss : losses.to_vector<float>()) got.push_back(loss);
  }
  EXPECT_EQ(got, want.losses);
  EXPECT_EQ(run.traces().size(), 1u);
}

TEST(Dqn, RunsMayBeCutAnywhere) {
  DqnOptions options{.seed = 5};
  DqnLog whole = DqnLoop(options).run(200);
  DqnLoop parts(options);
  EXPECT_TRUE(parts.run(0).actions.empty());
  std::vector<float> losses;
  for (int64_t n : {1, 99, 100}) {
    std::vector<float> more = parts.run(n).losses;
    losses.insert(losses.end(), more.begin(), more.end());
  }
  EXPECT_EQ(whole.losses, losses);
}

TEST(Dqn, ThreadsChangeNothing) {
  DqnOptions options{.seed = 6};
  ExpectSame(DqnLoop(options, 1).run(150), DqnLoop(options, 3).run(150));
}

TEST(Dqn, LearnsToHoldThePole) {
  DqnLoop loop({.seed = 1});
  std::vector<int64_t> lengths = loop.run(5000).episodes();
  ASSERT_GT(lengths.size(), 20u);
  double first = Mean({lengths.begin(), lengths.begin() + 10});
  double last = Mean({lengths.end() - 10, lengths.end()});
  EXPECT_LT(first, 30);
  EXPECT_GT(last, 140);
}

}  // namespace
}  // namespace sluice::loops
