// examples/loops/newton.h: roots, and their derivatives through the iterations.
#include "examples/loops/newton.h"

#include <gtest/gtest.h>

namespace sluice::loops {
namespace {

constexpr double kNear = 1e-7;

void ExpectNear(const Tensor& got, const Tensor& want, double by = kNear) {
  auto a = got.to_vector<double>(), b = want.to_vector<double>();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], by) << i;
}

struct Orbits {
  Tensor e = constant({0.1, 0.5, 0.9}).requires_grad_();
  Tensor m = constant({0.4, 2.5, 5.0}).requires_grad_();
};

TEST(Newton, FindsRootsInAFewSteps) {
  Tensor a = constant({2.0, 9.0, 1e4});
  Root root = newton([&](const Tensor& z) { return z * z - a; }, a);
  ExpectNear(root.value, sqrt(a), 1e-9);
  EXPECT_LT(root.steps.item<int64_t>(), 20);
  // It is there already: one step says so.
  root = newton([&](const Tensor& z) { return z * z - a; }, sqrt(a));
  EXPECT_LE(root.steps.item<int64_t>(), 2);
}

TEST(Newton, GradientIsThatOfTheImplicitFunction) {
  Orbits o;
  Tensor angle = kepler(o.e, o.m).value;
  KeplerSlopes want = kepler_slopes(o.e, angle);
  sum(angle).backward();
  ExpectNear(o.e.grad(), want.by_eccentricity);
  ExpectNear(o.m.grad(), want.by_anomaly);

  Orbits again;
  auto captured =
      function([](Tensor e, Tensor m) { return kepler(e, m).value; });
  Tensor same = captured(again.e, again.m);
  ExpectNear(same, angle, 1e-13);
  sum(same).backward();
  ExpectNear(again.e.grad(), o.e.grad(), 1e-12);
  ExpectNear(again.m.grad(), o.m.grad(), 1e-12);
}

TEST(Newton, InADeferredGraph) {
  Orbits o;
  Graph graph;
  Tensor e, m, angle;
  std::vector<Tensor> slopes;
  {
    GraphScope building(graph);
    e = placeholder(f64, {any});
    m = placeholder(f64, {any});
    angle = kepler(e, m).value;
    slopes = gradients({angle}, {e, m});
  }
  Session session(graph);
  Tensor now = kepler(o.e, o.m).value;
  KeplerSlopes want = kepler_slopes(o.e, now);
  for (ExecutorChoice executor : {ExecutorChoice::kAuto, ExecutorChoice::kTape,
                                  ExecutorChoice::kTokens}) {
    RunOptions options;
    options.executor = executor;
    auto got = session.run({angle, slopes[0], slopes[1]},
                           {{e, o.e.array()}, {m, o.m.array()}}, {}, options);
    ExpectNear(constant(got[0]), now, 1e-13);
    ExpectNear(constant(got[1]), want.by_eccentricity);
    ExpectNear(constant(got[2]), want.by_anomaly);
  }
}

// At once, in a captured function, of a captured function, and deferred.
TEST(Newton, SecondDerivative) {
  Orbits o;
  auto angle_of = [](Tensor e, Tensor m) { return kepler(e, m).value; };
  auto twice = [&](Tensor e, Tensor m, auto& f) {
    Tensor first = grad(sum(f(e, m)), m, {.create_graph = true});
    return grad(sum(first), m);
  };
  Tensor want =
      kepler_slopes(o.e, kepler(o.e, o.m).value).by_anomaly_twice.detach();
  Tensor now = twice(o.e, o.m, angle_of);
  ExpectNear(now, want);
  auto inside =
      function([&](Tensor e, Tensor m) { return twice(e, m, angle_of); });
  ExpectNear(inside(o.e, o.m), now, 1e-12);
  auto captured = function(angle_of);
  ExpectNear(twice(o.e, o.m, captured), now, 1e-12);

  Graph graph;
  Tensor e, m, second;
  {
    GraphScope building(graph);
    e = placeholder(f64, {any});
    m = placeholder(f64, {any});
    second = twice(e, m, angle_of);
  }
  Session session(graph);
  Array got = session.run(second, {{e, o.e.array()}, {m, o.m.array()}});
  ExpectNear(constant(got), now, 1e-12);
}

TEST(Newton, SaysNoMoreThanItsLimit) {
  // From 0 it goes to 1 and back, for ever.
  Root root = newton([](const Tensor& z) { return z * z * z - 2 * z + 2; },
                     constant(0.0), {.max_steps = 7});
  EXPECT_EQ(root.steps.item<int64_t>(), 7);
}

}  // namespace
}  // namespace sluice::loops
