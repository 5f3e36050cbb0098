// An optimizer of the user's own, in a dozen lines, works in every mode.
#include "sluice/optim/optim_test_util.h"

namespace {

namespace sl = sluice;

struct HeavyBallOptions {
  double lr = 0.1, keep = 0.5;
};

class HeavyBall : public sl::optim::OptimizerOf<HeavyBallOptions> {
 public:
  using OptimizerOf::OptimizerOf;

 private:
  void Update(sl::optim::Param& p, const sl::Tensor& grad) override {
    auto v = p.set("velocity", options(p).keep * p.slot("velocity") + grad);
    p.subtract(p.lr() * v);
  }
};

constexpr float kAfterTwo = 1 - 0.1f * 2 - 0.1f * (0.5f * 2 + 2);

TEST(OwnOptimizer, Imperatively) {
  sl::Tensor w = sl::ones({3}).clone().requires_grad_();
  HeavyBall optimizer({w}, {.lr = 0.1});
  for (int i = 0; i < 2; ++i) {
    optimizer.zero_grad();
    sl::sum(w * 2).backward();
    optimizer.step();
  }
  for (float x : w.to_vector<float>()) EXPECT_NEAR(x, kAfterTwo, 1e-6);
  EXPECT_TRUE(optimizer.state_dict().contains("0.velocity"));
}

TEST(OwnOptimizer, Captured) {
  sl::Tensor w = sl::ones({3}).clone().requires_grad_();
  HeavyBall optimizer({w}, {.lr = 0.1});
  auto step = sl::function([&](sl::Tensor g) {
    optimizer.zero_grad();
    sl::sum(w * g).backward();
    optimizer.step();
  });
  step(sl::constant(2.f));
  step(sl::constant(2.f));
  for (float x : w.to_vector<float>()) EXPECT_NEAR(x, kAfterTwo, 1e-6);
}

TEST(OwnOptimizer, InGraphs) {
  sl::Graph graph;
  sl::Variable w;
  sl::Operation train;
  {
    sl::GraphScope building(graph);
    w = sl::variable(sl::ones({3}), "w");
    train = HeavyBall(0.1).minimize(sl::sum(w * 2));
  }
  sl::Session session(graph);
  session.run(sl::initialize_variables(graph));
  session.run(train);
  session.run(train);
  EXPECT_NEAR(session.run(w).data<float>()[1], kAfterTwo, 1e-6);
}

TEST(OwnOptimizer, TouchesRowsOnly) {
  sl::Tensor w = sl::ones({3, 1}).clone().requires_grad_();
  HeavyBall optimizer({w}, {.lr = 0.1});
  for (int i = 0; i < 2; ++i) {
    optimizer.zero_grad();
    sl::sum(sl::gather(w, sl::constant({1, 1}))).backward();
    optimizer.step();
  }
  auto now = w.to_vector<float>();
  EXPECT_EQ(now[0], 1);
  EXPECT_NEAR(now[1], kAfterTwo, 1e-6);
  EXPECT_EQ(now[2], 1);
}

// State goes through a checkpoint without a line about it.
TEST(OwnOptimizer, StateComesBack) {
  sl::Tensor a = sl::ones({2}).clone().requires_grad_();
  sl::Tensor b = sl::ones({2}).clone().requires_grad_();
  HeavyBall first({a}), second({b});
  a.set_grad(sl::ones({2}));
  first.step();
  {
    sl::NoGrad off;
    b.copy_(a);
  }
  second.load_state_dict(first.state_dict());
  b.set_grad(sl::ones({2}));
  first.step();
  second.step();
  EXPECT_EQ(a.to_vector<float>(), b.to_vector<float>());
}

}  // namespace
