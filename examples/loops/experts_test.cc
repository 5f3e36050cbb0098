#include "examples/loops/experts.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sluice::loops {
namespace {

void ExpectNear(const Tensor& got, const Tensor& want, double by) {
  ASSERT_EQ(got.array().shape(), want.array().shape());
  auto a = got.to_dense().to_vector<double>();
  auto b = want.to_dense().to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], by) << i;
}

TEST(Experts, EqualToRunningThemAllWithWeightsOfZero) {
  manual_seed(3);
  Experts net({.hidden = 5, .experts = 6, .chosen = 2, .dtype = f64});
  Tensor x = random_normal({7, 2}, {.dtype = f64});
  // Leaves its gradients on the parameters.
  auto learned = [&](const Tensor& y) {
    net.zero_grad();
    sum(square(y)).backward();
    return y.detach();
  };
  auto slopes = [&] {
    std::vector<Tensor> found;
    for (const Tensor& p : net.parameters()) {
      found.push_back(p.grad().to_dense().clone());
    }
    return found;
  };
  Tensor want = learned(net.dense(x));
  std::vector<Tensor> want_slopes = slopes();
  auto check = [&](const Tensor& got, const char* how) {
    SCOPED_TRACE(how);
    ExpectNear(got, want, 1e-12);
    std::vector<Tensor> found = slopes();
    for (size_t i = 0; i < found.size(); ++i) {
      SCOPED_TRACE(net.named_parameters()[i].first);
      ExpectNear(found[i], want_slopes[i], 1e-11);
    }
  };
  check(learned(net(x)), "at once");
  auto captured = function([&](Tensor x) { return learned(net(x)); });
  check(captured(x), "captured");
}

TEST(Experts, ThoseNotChosenDoNotRun) {
  manual_seed(3);
  Experts net({.experts = 5, .chosen = 2});
  {
    NoGrad off;  // whatever the row, experts 1 and 4 are liked best
    net.gate.zero_();
    net.gate.set({0, 1}, 2.0f), net.gate.set({0, 4}, 1.0f);
  }
  Tensor x = constant({{1.0f, 0.3f}, {2.0f, -1.0f}, {0.5f, 0.0f}});
  auto step = function([&](Tensor x) {
    Tensor loss = sum(square(net(x)));
    net.zero_grad();
    loss.backward();
    return loss;
  });
  std::vector<int64_t> want = {0, 1, 0, 0, 1};
  net(x);
  EXPECT_EQ(net.runs.to_vector<int64_t>(), want) << "at once";
  net.runs.zero_();
  step(x);
  EXPECT_EQ(net.runs.to_vector<int64_t>(), want) << "captured, with gradients";
  // No gradient reaches the others.
  std::vector<float> slopes = net.b2.grad().to_dense().to_vector<float>();
  for (size_t e : {0u, 2u, 3u}) EXPECT_EQ(slopes[2 * e], 0);
  EXPECT_NE(slopes[2 * 1], 0);
  EXPECT_NE(slopes[2 * 4], 0);
}

TEST(Experts, NoRowsAskNobody) {
  Experts net({.experts = 3, .chosen = 1});
  auto captured = function([&](Tensor x) { return net(x); });
  Tensor y = captured(zeros({0, 2}));
  EXPECT_EQ(y.array().shape(), Shape({0, 2}));
  EXPECT_EQ(net.runs.to_vector<int64_t>(), (std::vector<int64_t>{0, 0, 0}));
}

TEST(Experts, LearnSomethingElseForEveryQuadrant) {
  manual_seed(1);
  Experts net({.experts = 6, .chosen = 2});
  optim::Adam adam(net.parameters(), {.lr = 0.01});
  auto step = function([&](Tensor x, Tensor y) {
    auto routes = net.route(x);
    Tensor error = mse_loss(net.mix(x, routes), y);
    adam.zero_grad();
    (error + 0.01f * routes.balance).backward();
    adam.step();
    return error;
  });
  float first = 0, last = 0;
  for (int i = 0; i < 300; ++i) {
    Tensor x = random_normal({64, 2});
    last = step(x, turned_by_quadrant(x)).item<float>();
    if (i == 0) first = last;
  }
  EXPECT_LT(last, 0.4f * first) << "it began at " << first;
}

}  // namespace
}  // namespace sluice::loops
