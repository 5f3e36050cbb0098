// Derivatives inside of others: each has points of its own.
#include "sluice/front/own_points.h"

#include "sluice/front/autograd.h"
#include "sluice/front/control_flow.h"
#include "sluice/front/front_test_util.h"
#include "sluice/front/value_and_grad.h"
#include "sluice/front/vmap.h"

namespace sluice {
namespace {

using Tensors = std::vector<Tensor>;

Tensor One() { return constant(1.0); }

// The slope of x y^3 by y, at y = x: 3 x^3, whose slope by x is 9 x^2.
Tensor ByValueAndGrad(const Tensor& x) {
  return value_and_grad([&](const Tensor& y) { return x * y * y * y; }, x)
      .second;
}
Tensor ByJvp(const Tensor& x) {
  return jvp([&](const Tensors& y) { return Tensors{x * y[0] * y[0] * y[0]}; },
             {x}, {One()})
      .tangents[0];
}
Tensor ByVjp(const Tensor& x) {
  return vjp([&](const Tensors& y) { return Tensors{x * y[0] * y[0] * y[0]}; },
             {x}, {One()})
      .gradients[0];
}
// 6 x y at y = x, whose slope by x is 12 x.
Tensor ByHvp(const Tensor& x) {
  return hvp([&](const Tensors& y) { return Tensors{x * y[0] * y[0] * y[0]}; },
             {x}, {One()})[0];
}

double SlopeAtTwo(const std::function<Tensor(const Tensor&)>& f) {
  return value_and_grad(f, constant(2.0)).second.item<double>();
}

TEST(OwnPoints, AClosureIsAConstantToTheDerivativeInside) {
  for (auto f : {ByValueAndGrad, ByJvp, ByVjp}) {
    EXPECT_EQ(f(constant(2.0)).item<double>(), 24);
    EXPECT_EQ(SlopeAtTwo(f), 36);
    auto captured =
        function([f](Tensor x) { return value_and_grad(f, x).second; });
    EXPECT_EQ(captured(constant(2.0)).item<double>(), 36);
    EXPECT_EQ(SlopeAtTwo(function([f](Tensor x) { return f(x); })), 36);
  }
  EXPECT_EQ(SlopeAtTwo(ByHvp), 24);
}

TEST(OwnPoints, ALeafThatIsReadByAnotherWayIsAConstantThere) {
  Tensor w = constant(2.0).requires_grad_();
  Tensor slope =
      value_and_grad([&](const Tensor& y) { return w * y * y * y; }, w).second;
  EXPECT_EQ(slope.item<double>(), 24);
  EXPECT_EQ(grad(slope, w).item<double>(), 36);
}

TEST(OwnPoints, ACheckpointInAGraphCountsAClosureOnce) {
  auto f = [](const Tensor& x) {
    TensorFn again =
        checkpoint([&](const Tensors& y) { return Tensors{y[0] * x * x}; });
    return again({x})[0];
  };
  EXPECT_EQ(SlopeAtTwo(f), 12);
  auto captured =
      function([&](Tensor x) { return value_and_grad(f, x).second; });
  EXPECT_EQ(captured(constant(2.0)).item<double>(), 12);
}

// What code run for the gradient reads around it was a constant, from the
// first gradient on.
TEST(OwnPoints, ACheckpointInACapturedFunctionReadsTensorsAroundItAnew) {
  Tensor w = constant(3.0).requires_grad_();
  auto f = function([&](Tensor x) {
    TensorFn again =
        checkpoint([&](const Tensors& y) { return Tensors{y[0] * w * w}; });
    return again({x})[0];
  });
  Tensor x = constant(2.0).requires_grad_();
  std::vector<Tensor> found = grad(f(x), {x, w});
  EXPECT_EQ(found[0].item<double>(), 9);
  EXPECT_EQ(found[1].item<double>(), 12);
  {
    NoGrad off;
    w.fill_(5.0);
  }
  found = grad(f(x), {x, w});
  EXPECT_EQ(found[0].item<double>(), 25);
  EXPECT_EQ(found[1].item<double>(), 20);
}

// The graph was locked while the code ran again, and code that records a
// region waited for it for ever.
TEST(OwnPoints, ACheckpointedLoopInACapturedGradient) {
  auto f = [](const Tensor& x) {
    TensorFn again = checkpoint([](const Tensors& y) {
      return Tensors{while_loop([](Tensor v) { return v < 10.0; },
                                [](Tensor v) { return v * v; }, y[0])};
    });
    return again({x})[0];
  };
  auto captured =
      function([&](Tensor x) { return value_and_grad(f, x).second; });
  EXPECT_EQ(captured(constant(2.0)).item<double>(), 32);
}

TEST(OwnPoints, GradientsOfGradientsOfACapturedFunctionAreThoseOfItsGraph) {
  Tensor x = constant(2.0).requires_grad_();
  Tensor square = x * x;
  auto f = function([&](Tensor y) { return y * y * square; });
  GradOptions again{.retain_graph = true, .create_graph = true};
  Tensor first = grad(f(x), x, again);
  EXPECT_EQ(first.item<double>(), 32);
  Tensor second = grad(first, x, again);
  EXPECT_EQ(second.item<double>(), 48);
  EXPECT_EQ(grad(second, x, again).item<double>(), 48);
}

// Each lane's loop ends in an iteration of its own.
TEST(OwnPoints, AGradientPerLaneOfALoopThatLanesLeaveOneByOne) {
  auto grown = [](const Tensor& x) {
    return while_loop([](Tensor v) { return v < 10.0; },
                      [&](Tensor v) { return v * v * x; }, x);
  };
  auto slopes = vmap([&](Tensor x) { return value_and_grad(grown, x).second; });
  auto bends = vmap([&](Tensor x) {
    return value_and_grad(
               [&](const Tensor& y) { return value_and_grad(grown, y).second; },
               x)
        .second;
  });
  // x, x^3, x^7, x^15.
  Tensor lanes = constant({20.0, 3.0, 1.5, 1.25});
  auto slope = slopes(lanes).to_vector<double>();
  auto bend = bends(lanes).to_vector<double>();
  int powers[] = {1, 3, 7, 15};
  double at[] = {20.0, 3.0, 1.5, 1.25};
  for (size_t i = 0; i < 4; ++i) {
    int n = powers[i];
    EXPECT_NEAR(slope[i], n * std::pow(at[i], n - 1), 1e-9 * slope[i]);
    EXPECT_NEAR(bend[i], n * (n - 1) * std::pow(at[i], n - 2),
                1e-9 * std::max(bend[i], 1.0));
  }
}

}  // namespace
}  // namespace sluice
