#include "sluice/optim/optim_test_util.h"

namespace sluice::optim {
namespace {

Tensor Rosenbrock(const Tensor& x) {
  Tensor a = x[0], b = x[1];
  Tensor side = 1 - a, valley = b - a * a;
  return side * side + 100 * valley * valley;
}

template <class F>
double Minimise(F f, const Tensor& x, LBFGS& optimizer, int steps) {
  auto closure = [&] {
    optimizer.zero_grad();
    Tensor loss = f(x);
    loss.backward();
    return loss;
  };
  for (int i = 0; i < steps; ++i) optimizer.step(closure);
  return cast(f(x), DType::kF64).template item<double>();
}

TEST(LBFGS, FindsTheEndOfTheValley) {
  Tensor x = constant({-1.2, 1.0}).clone().requires_grad_();
  LBFGS optimizer({x}, {.max_iter = 60,
                        .tolerance_grad = 1e-10,
                        .tolerance_change = 1e-16,
                        .strong_wolfe = true});
  EXPECT_LT(Minimise(Rosenbrock, x, optimizer, 2), 1e-16);
  EXPECT_NEAR(x.to_vector<double>()[0], 1, 1e-6);
  EXPECT_NEAR(x.to_vector<double>()[1], 1, 1e-6);
}

TEST(LBFGS, WithStepsOfOneSize) {
  Tensor x = constant({3.f, -2.f, 1.f}).clone().requires_grad_();
  LBFGS optimizer({x}, {.max_iter = 30});
  auto bowl = [](const Tensor& p) {
    return sum(constant({1.f, 4.f, 9.f}) * p * p);
  };
  EXPECT_LT(Minimise(bowl, x, optimizer, 1), 1e-9);
}

TEST(LBFGS, OfSeveralParameters) {
  Tensor a = ones({2, 2}).clone().requires_grad_();
  Tensor b = ones({3}).clone().requires_grad_();
  Tensor unused = ones({2}).clone().requires_grad_();
  LBFGS optimizer({a, b, unused}, {.strong_wolfe = true});
  auto f = [&](const Tensor&) {
    return sum((a - 2) * (a - 2)) + sum((b + 1) * (b + 1) * 3);
  };
  EXPECT_LT(Minimise(f, a, optimizer, 2), 1e-9);
  EXPECT_EQ(unused.to_vector<float>(), (Floats{1, 1}));
}

// A loss that is NaN beyond a wall: the search comes back from there.
TEST(LBFGS, ComesBackFromWhereThereIsNoLoss) {
  Tensor x = constant({4.0}).clone().requires_grad_();
  LBFGS optimizer({x}, {.lr = 30, .strong_wolfe = true});
  auto f = [](const Tensor& p) { return sum(p - log(p)); };
  EXPECT_NEAR(Minimise(f, x, optimizer, 3), 1, 1e-9);
}

TEST(LBFGS, StateComesBack) {
  auto start = [] { return constant({-1.2, 1.0}).clone().requires_grad_(); };
  LBFGSOptions options{.max_iter = 5, .strong_wolfe = true};
  Tensor x = start();
  LBFGS first({x}, options);
  Minimise(Rosenbrock, x, first, 2);
  Tensor y = x.detach().clone().requires_grad_();
  LBFGS second({y}, options);
  second.load_state_dict(first.state_dict());
  Minimise(Rosenbrock, x, first, 1);
  Minimise(Rosenbrock, y, second, 1);
  EXPECT_EQ(x.to_vector<double>(), y.to_vector<double>());
  Tensor z = constant({1.0, 2.0, 3.0}).clone().requires_grad_();
  LBFGS third({z}, options);
  EXPECT_THROW(third.load_state_dict(first.state_dict()), Error);
  EXPECT_THROW(third.load_state_dict({}), Error);
}

TEST(LBFGS, BadInput) {
  Tensor x = ones({2}).clone().requires_grad_();
  EXPECT_THROW(LBFGS({x}, {.max_iter = 0}), Error);
  EXPECT_THROW(LBFGS({x}, {.history_size = 0}), Error);
  LBFGS optimizer({x});
  EXPECT_THROW(optimizer.step([] { return Tensor(); }), Error);
  EXPECT_THROW(optimizer.step([&] { return x * 1; }), Error);
  x.set_grad(ones({2}));
  EXPECT_TRUE(
      Contains(ErrorOf([&] { static_cast<Optimizer&>(optimizer).step(); }),
               "wanted step(closure)"));
  auto recorded = function([&](Tensor g) {
    optimizer.step([&] { return sum(x * g); });
    return g;
  });
  EXPECT_TRUE(
      Contains(ErrorOf([&] { recorded(ones({2})); }), "that is recorded"));
}

}  // namespace
}  // namespace sluice::optim
