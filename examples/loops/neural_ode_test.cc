#include "examples/loops/neural_ode.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sluice::loops {
namespace {

// Goes round once in 2 pi while it shrinks by exp(-0.1 t).
Tensor Turning(const Tensor& y, const Tensor& matrix) {
  return matmul(y, matrix);
}
Tensor TurningMatrix() { return constant({{-0.1, 1.0}, {-1.0, -0.1}}); }

TEST(Ode, EqualToTheClosedForm) {
  Tensor y0 = constant({{1.0, 0.0}, {0.5, -2.0}});
  Dynamics f = [](auto, auto y) { return Turning(y, TurningMatrix()); };
  OdePoint end = odeint(f, y0, 0, 3, {.absolute = 1e-9, .relative = 1e-8});
  double c = std::cos(3.0) * std::exp(-0.3), s = std::sin(3.0) * std::exp(-0.3);
  std::vector<double> want = {c, s, 0.5 * c + 2 * s, 0.5 * s - 2 * c};
  std::vector<double> got = end.y.to_vector<double>();
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(got[i], want[i], 1e-6) << i;
  EXPECT_EQ(end.left.item<double>(), 0);
}

TEST(Ode, TimeIsSeen) {
  // dy/dt = 2 t from 1 to 3: exactly 8, for a method of order 3.
  OdePoint end =
      odeint([](auto t, auto y) { return 2 * t + 0 * y; }, constant(0.0), 1, 3);
  EXPECT_NEAR(end.y.item<double>(), 8, 1e-12);
}

TEST(Ode, StepsAdaptToToleranceAndToWhatHappens) {
  Dynamics f = [](auto, auto y) { return Turning(y, TurningMatrix()); };
  Tensor y0 = constant({{1.0, 0.0}});
  auto steps = [&](double tolerance) {
    return odeint(f, y0, 0, 6, {.absolute = tolerance, .relative = tolerance})
        .steps.item<int64_t>();
  };
  int64_t coarse = steps(1e-3), fine = steps(1e-6), finest = steps(1e-9);
  // A method of order 3 needs 10 times the steps for 1000 times the accuracy.
  EXPECT_GT(fine, 5 * coarse);
  EXPECT_LT(fine, 15 * coarse);
  EXPECT_GT(finest, 5 * fine);
  EXPECT_LT(finest, 15 * fine);
  // A first step that is much too large is taken back.
  OdePoint big = odeint(f, y0, 0, 6, {.first_step = 6});
  EXPECT_GT(big.tries.item<int64_t>(), big.steps.item<int64_t>());
}

TEST(Ode, StopsAtItsLimitAndSaysWhatIsLeft) {
  OdePoint end = odeint([](auto, auto y) { return -y; }, constant(1.0), 0, 9,
                        {.max_tries = 5});
  EXPECT_EQ(end.tries.item<int64_t>(), 5);
  EXPECT_GT(end.left.item<double>(), 0);
}

// The gradient of what the solver computes, steps taken back and step sizes
// included.
TEST(Ode, GradientAgainstDifferences) {
  TensorFn solve = [](const std::vector<Tensor>& x) {
    Dynamics f = [&](auto, auto y) { return Turning(y, x[1]) + x[2] * y * y; };
    return std::vector<Tensor>{odeint(f, x[0], 0, 2, {.first_step = 2}).y};
  };
  std::vector<Tensor> at = {constant({{1.0, 0.3}}), TurningMatrix(),
                            constant(0.2)};
  gradcheck(solve, at);
  auto captured = function([&](std::vector<Tensor> x) { return solve(x); });
  gradcheck([&](const auto& x) { return captured(x); }, at);
}

TEST(NeuralOde, CapturedAndAtOnceAreTheSame) {
  manual_seed(2);
  MotionNet net(8);
  Tensor path = spiral(12, 0.1);
  Tensor paths =
      stack({path.at({slice(0, 6)}), path.at({slice(5, 11)})}, {.axis = 1});
  auto loss_of = [&](Tensor paths) {
    net.zero_grad();
    Followed went = follow([&](auto, auto y) { return net(y); }, paths, 0.1);
    went.loss.backward();
    return std::pair(went.loss, went.tries);
  };
  auto [loss, tries] = loss_of(paths);
  std::vector<float> slope = net.in.weight.grad().to_vector<float>();
  auto captured = function(loss_of);
  auto [loss2, tries2] = captured(paths);
  EXPECT_EQ(tries.item<int64_t>(), tries2.item<int64_t>());
  EXPECT_NEAR(loss.item<float>(), loss2.item<float>(), 1e-6);
  std::vector<float> slope2 = net.in.weight.grad().to_vector<float>();
  for (size_t i = 0; i < slope.size(); ++i) {
    EXPECT_NEAR(slope[i], slope2[i], 1e-5 * (1 + std::abs(slope[i])));
  }
}

TEST(NeuralOde, LearnsTheSpiral) {
  manual_seed(1);
  MotionNet net(16);
  Tensor path = spiral(60, 0.1);
  std::vector<Tensor> pieces;
  for (int64_t at = 0; at < 56; at += 4) {
    pieces.push_back(path.at({slice(at, at + 5)}));
  }
  Tensor paths = stack(pieces, {.axis = 1});
  optim::Adam adam(net.parameters(), {.lr = 0.01});
  auto step = function([&](Tensor paths) {
    Tensor loss = follow([&](auto, auto y) { return net(y); }, paths, 0.1).loss;
    adam.zero_grad();
    loss.backward();
    adam.step();
    return loss;
  });
  float first = step(paths).item<float>(), last = 0;
  for (int i = 0; i < 100; ++i) last = step(paths).item<float>();
  EXPECT_LT(last, 0.1f * first) << "it began at " << first;
  EXPECT_EQ(step.traces().size(), 1u);
}

}  // namespace
}  // namespace sluice::loops
