#include "sluice/front/value_and_grad.h"

#include "sluice/front/front_test_util.h"

namespace sluice {
namespace {

// z^3 a: a slope of 3 z^2 a, of which the slope by z is 6 z a, by a 3 z^2.
Tensor SlopeOfCube(const Tensor& z, const Tensor& a) {
  return value_and_grad([&](const Tensor& at) { return at * at * at * a; }, z)
      .second;
}

TEST(ValueAndGrad, SlopesOfElementsThatRequireNone) {
  Tensor z = constant({1.0, 2.0});
  auto [y, slope] = value_and_grad([](const Tensor& at) { return at * at; }, z);
  EXPECT_EQ(y.to_vector<double>(), (std::vector<double>{1, 4}));
  EXPECT_EQ(slope.to_vector<double>(), (std::vector<double>{2, 4}));
  EXPECT_FALSE(z.requires_grad());
}

TEST(ValueAndGrad, CanBeDifferentiatedEveryWay) {
  Tensor z = constant({1.0, 2.0}).requires_grad_();
  Tensor a = constant(5.0).requires_grad_();
  Tensor slope = SlopeOfCube(z, a);
  EXPECT_EQ(slope.to_vector<double>(), (std::vector<double>{15, 60}));
  auto check = [&](const std::vector<Tensor>& found) {
    EXPECT_EQ(found[0].to_vector<double>(), (std::vector<double>{30, 60}));
    EXPECT_EQ(found[1].item<double>(), 15);
  };
  check(grad(sum(slope), {z, a}));
  auto captured =
      function([](Tensor z, Tensor a) { return sum(SlopeOfCube(z, a)); });
  check(grad(captured(z, a), {z, a}));
  // With respect to what the function reads alone: z is a plain number here.
  EXPECT_EQ(grad(sum(SlopeOfCube(z.detach(), a)), a).item<double>(), 15);
}

TEST(ValueAndGrad, OfATensorAroundACapturedFunction) {
  Tensor z = constant(2.0);
  auto captured = function([&](Tensor a) { return SlopeOfCube(z, a); });
  EXPECT_EQ(captured(constant(5.0)).item<double>(), 60);
  z.fill_(1.0);
  EXPECT_EQ(captured(constant(5.0)).item<double>(), 15);
}

TEST(ValueAndGrad, InsideALoopThatGradientsGoThrough) {
  auto descend = [](Tensor to) {
    return for_loop(
        3,
        [&](Tensor, Tensor z) {
          auto [loss, slope] = value_and_grad(
              [&](const Tensor& at) { return sum((at - to) * (at - to)); }, z);
          return z - 0.25 * slope;
        },
        constant(8.0));
  };
  Tensor to = constant(1.0).requires_grad_();
  EXPECT_EQ(grad(descend(to), to).item<double>(), 0.875);
  auto captured = function(descend);
  EXPECT_EQ(captured(to).item<double>(), descend(to).item<double>());
  EXPECT_EQ(grad(captured(to), to).item<double>(), 0.875);
}

TEST(ValueAndGrad, PlainNumbersWhereNoGradientsAreRecorded) {
  Tensor a = constant(5.0).requires_grad_();
  NoGrad off;
  auto [y, slopes] = value_and_grad(
      [&](const std::vector<Tensor>& x) { return x[0] * x[1] * a; },
      std::vector<Tensor>{constant(2.0), constant(3.0)});
  EXPECT_EQ(y.item<double>(), 30);
  EXPECT_EQ(slopes[0].item<double>(), 15);
  EXPECT_EQ(slopes[1].item<double>(), 10);
  EXPECT_FALSE(y.requires_grad());
  EXPECT_FALSE(slopes[0].requires_grad());
}

TEST(ValueAndGrad, OfWhatItDoesNotReadSaysSo) {
  Tensor x = constant(1.0);
  std::string text = ErrorOf(
      [&] { value_and_grad([](const Tensor&) { return constant(2.0); }, x); });
  Contains(text, "was not made from a tensor that requires gradients");
  Contains(text, "value_and_grad_test.cc:");
}

}  // namespace
}  // namespace sluice
