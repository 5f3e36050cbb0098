// vmap as users call it: axes, modes, gradients, reports, bad input.
#include "sluice/front/front_test_util.h"

namespace sluice {
namespace {

namespace sl = sluice;
using Floats = std::vector<float>;

Tensor Matrix() { return sl::constant({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}); }

TEST(Vmap, RunsCodeForOneExampleOnABatch) {
  auto f = sl::vmap([](Tensor x) { return sl::sum(x * x); });
  EXPECT_EQ(f(Matrix()).to_vector<float>(), (Floats{14, 77}));
  EXPECT_EQ(f.report().together, 2);
  EXPECT_EQ(f.report().lane_by_lane, 0);
  // Another number of lanes uses the same recording.
  EXPECT_EQ(f(sl::ones({5, 2})).to_vector<float>(), (Floats{2, 2, 2, 2, 2}));
  EXPECT_EQ(f(sl::ones({0, 2})).shape(), (PartialShape{0}));
  EXPECT_EQ(f.traces().size(), 1u);
}

TEST(Vmap, AxesOfArgumentsAndResults) {
  auto f = [](Tensor x, Tensor y) { return x * 10.f + y; };
  auto columns = sl::vmap(f, {.in_axes = {1, sl::unbatched}});
  Tensor y = sl::constant({1.f, 2.f});
  EXPECT_EQ(columns(Matrix(), y).shape(), (PartialShape{3, 2}));
  EXPECT_EQ(columns(Matrix(), y).to_vector<float>(),
            (Floats{11, 42, 21, 52, 31, 62}));
  auto last = sl::vmap(f, {.in_axes = {-1, sl::unbatched}, .out_axes = {-1}});
  EXPECT_EQ(last(Matrix(), y).shape(), (PartialShape{2, 3}));
  EXPECT_EQ(last(Matrix(), y).to_vector<float>(),
            (Floats{11, 21, 31, 42, 52, 62}));
  auto both = sl::vmap([](Tensor x) { return std::pair(x, sl::sum(x)); },
                       {.out_axes = {1, 0}});
  auto [same, sums] = both(Matrix());
  EXPECT_EQ(same.shape(), (PartialShape{3, 2}));
  EXPECT_EQ(sums.to_vector<float>(), (Floats{6, 15}));
}

TEST(Vmap, ResultsThatAreTheSameForAllLanes) {
  Tensor w = sl::constant(3.f);
  auto f = sl::vmap([&](Tensor x) { return std::pair(x, w * 2.f); },
                    {.out_axes = {0, sl::unbatched}});
  EXPECT_EQ(f(sl::ones({4})).second.item<float>(), 6);
  auto g = sl::vmap([&](Tensor) { return w * 2.f; });
  EXPECT_EQ(g(sl::ones({4})).to_vector<float>(), (Floats{6, 6, 6, 6}));
  auto h = sl::vmap([&](Tensor x) { return x; }, {.out_axes = {sl::unbatched}});
  Contains(ErrorOf([&] { h(sl::ones({4})); }),
           "[vmap] result 0 differs from lane to lane");
}

TEST(Vmap, TensorsAroundItAreReadAnewAtEveryCall) {
  Tensor w = sl::constant({1.f, 2.f, 3.f});
  auto f = sl::vmap([&](Tensor x) { return sl::dot(x, w); });
  EXPECT_EQ(f(Matrix()).to_vector<float>(), (Floats{14, 32}));
  w.fill_(1.f);
  EXPECT_EQ(f(Matrix()).to_vector<float>(), (Floats{6, 15}));
  EXPECT_EQ(f.traces().size(), 1u);
}

TEST(Vmap, InsideACapturedFunctionAndInAGraph) {
  auto norm = sl::vmap([](Tensor x) { return sl::sqrt(sl::sum(x * x)); });
  auto f = sl::function([&](Tensor x) { return norm(x + 1.f) * 2.f; });
  EXPECT_EQ(f(sl::constant({{2.f, 3.f}, {-1.f, 0.f}})).to_vector<float>(),
            (Floats{10, 2}));

  Graph graph;
  Tensor x, y;
  {
    GraphScope building(graph);
    x = sl::placeholder(sl::f32, {sl::any, 2}, "x");
    auto w = sl::variable(sl::constant(2.f), "w");
    y = sl::vmap([&](Tensor v) {
      return sl::cond(
          sl::sum(v) > 0.f, [&] { return v * w; }, [&] { return v; });
    })(x);
  }
  EXPECT_EQ(y.shape(), (PartialShape{sl::any, 2}));
  Session session(graph);
  session.run(sl::initialize_variables(graph));
  Array got = session.run(y, {{x, Array::Of<float>({2, 2}, {1, 2, -3, -4})}});
  EXPECT_EQ(Elements<float>(got), (Floats{2, 4, -3, -4}));
}

TEST(Vmap, NestedIsAMatrixOfLanes) {
  auto outer = sl::vmap([](Tensor a, Tensor row) {
    return sl::vmap([&](Tensor b) { return a * b; })(row);
  });
  EXPECT_EQ(outer(sl::constant({2.f, 3.f}), Matrix()).to_vector<float>(),
            (Floats{2, 4, 6, 12, 15, 18}));
  // Pairwise differences: each axis is in one argument only.
  auto pairs = sl::vmap(
      [](Tensor a, Tensor all) {
        return sl::vmap([&](Tensor b) { return a - b; })(all);
      },
      {.in_axes = {0, sl::unbatched}});
  Tensor v = sl::constant({1.f, 3.f});
  EXPECT_EQ(pairs(v, v).to_vector<float>(), (Floats{0, -2, 2, 0}));
}

TEST(Vmap, NestedWithChoicesOfInnerAndOuterLanes) {
  auto pairs = sl::vmap(
      [](Tensor a, Tensor all) {
        return sl::vmap([&](Tensor b) {
          return sl::cond(
              a > b, [&] { return a - b; }, [&] { return b * 10.f; });
        })(all);
      },
      {.in_axes = {0, sl::unbatched}});
  Tensor v = sl::constant({1.f, 3.f, 2.f});
  EXPECT_EQ(pairs(v, v).to_vector<float>(),
            (Floats{10, 30, 20, 2, 30, 1, 1, 30, 20}));
}

TEST(Vmap, GradientsThroughAVmapAndInsideOne) {
  Tensor x = Matrix().requires_grad_();
  Tensor w = sl::constant({1.f, 2.f, 3.f}).requires_grad_();
  auto f = sl::vmap([&](Tensor v) { return sl::sum(v * v * w); });
  sl::sum(f(x)).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{2, 8, 18, 8, 20, 36}));
  EXPECT_EQ(w.grad().to_vector<float>(), (Floats{17, 29, 45}));
  // A gradient per example.
  auto each = sl::vmap(
      [&](Tensor v, Tensor w) {
        Tensor at = w.detach().requires_grad_();
        return sl::grad(sl::sum(sl::sin(v) * at), at);
      },
      {.in_axes = {0, sl::unbatched}});
  Tensor plain = Matrix();
  EXPECT_EQ(each(plain, w.detach()).to_vector<float>(),
            sl::sin(plain).to_vector<float>());
  EXPECT_EQ(each.report().lane_by_lane, 0) << each.report().ToString();
}

TEST(Vmap, EveryLaneDrawsItsOwnNumbers) {
  auto f = sl::vmap([](Tensor x) {
    return x + sl::call("RandomUniform", {}, {{"shape", Shape{2}}})[0];
  });
  Floats got = f(sl::zeros({3})).to_vector<float>();
  std::set<float> different(got.begin(), got.end());
  EXPECT_EQ(different.size(), 6u);
  // With a number of lanes known while building, it is one op.
  Graph graph;
  Tensor y;
  {
    GraphScope building(graph);
    y = f(sl::zeros({4}));
  }
  EXPECT_EQ(f.report().lane_by_lane, 0);
  Array drawn = Session(graph).run(y);
  Floats all = Elements<float>(drawn);
  EXPECT_EQ(std::set<float>(all.begin(), all.end()).size(), 8u);
}

TEST(Vmap, OpsWithoutARuleRunLaneByLaneAndAreReported) {
  auto f = sl::vmap([](Tensor x) { return sl::call("Unique", {x})[0]; });
  EXPECT_EQ(
      f(sl::constant({{1.f, 1.f, 2.f}, {4.f, 3.f, 4.f}})).to_vector<float>(),
      (Floats{1, 2, 4, 3}));
  VmapReport report = sl::vmap_report(f);
  ASSERT_EQ(report.lane_by_lane, 1);
  Contains(report.slow_ops[0], "Unique at vmap_test.cc:");
  Contains(report.ToString(), "1 lane by lane: Unique at");
  // Lanes with incompatible results.
  std::string error =
      ErrorOf([&] { f(sl::constant({{1.f, 1.f, 2.f}, {4.f, 3.f, 5.f}})); });
  Contains(error, "vmap_test.cc");
}

TEST(Vmap, StringsLaneByLane) {
  auto f = sl::vmap([](Tensor s) {
    return sl::call("StringJoin", {s, s}, {{"separator", "-"}})[0];
  });
  Tensor y = f(sl::constant(Array::Vector<std::string>({"a", "b", "c"})));
  EXPECT_EQ(y.to_vector<std::string>(),
            (std::vector<std::string>{"a-a", "b-b", "c-c"}));
}

TEST(Vmap, BadInput) {
  auto f = sl::vmap([](Tensor x, Tensor y) { return x + y; });
  Tensor two = sl::ones({2}), three = sl::ones({3, 1}), one = sl::ones({});
  Contains(ErrorOf([&] { f(two, three); }),
           "[vmap] argument 0 (f32[2], axis 0) has 2 lanes, argument 1 "
           "(f32[3,1], axis 0) has 3 lanes; wanted as many");
  Contains(ErrorOf([&] { f(two, one); }),
           "[vmap] argument 1 is f32[]; wanted an axis 0 of lanes, or "
           "unbatched in in_axes");
  Contains(ErrorOf([&] { f(two, Tensor()); }),
           "[vmap] argument 1 holds nothing");
  auto none =
      sl::vmap([](Tensor x) { return x; }, {.in_axes = {sl::unbatched}});
  Contains(ErrorOf([&] { none(two); }), "[vmap] no argument has lanes");
  auto axes = sl::vmap([](Tensor x) { return x; }, {.in_axes = {0, 0, 0}});
  Contains(ErrorOf([&] { axes(two); }),
           "[vmap] in_axes has 3 axes for 1 arguments");
  auto out = sl::vmap([](Tensor x) { return x; }, {.out_axes = {2}});
  Contains(ErrorOf([&] { out(two); }), "out_axes wants them at axis 2");
  auto nothing = sl::vmap([](Tensor) { return Tensor(); });
  Contains(ErrorOf([&] { nothing(two); }),
           "[vmap] a result is a Tensor that holds nothing");
  // The line is the user's.
  Contains(ErrorOf([&] { f(two, three); }), "vmap_test.cc");
}

TEST(Vmap, LanesThatDifferInAGraphAreFoundWhenItRuns) {
  Graph graph;
  Tensor x, y, z;
  {
    GraphScope building(graph);
    x = sl::placeholder(sl::f32, {sl::any}, "x");
    y = sl::placeholder(sl::f32, {sl::any}, "y");
    z = sl::vmap([](Tensor a, Tensor b) { return a * b; })(x, y);
  }
  Session session(graph);
  Array one = Array::Of<float>({1}, {2}),
        three = Array::Of<float>({3}, {1, 2, 3});
  Contains(ErrorOf([&] { session.run(z, {{x, one}, {y, three}}); }),
           "vmap: arguments have different numbers of lanes: [1], [3]");
}

TEST(Vmap, ChangingStateIsRefused) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = sl::placeholder(sl::f32, {4}, "x");
  auto v = sl::variable(sl::constant(0.f), "v");
  auto f = sl::vmap([&](Tensor a) {
    v.assign_add(1.f);
    return a + v;
  });
  std::string error = ErrorOf([&] { f(x); });
  Contains(error, "[AssignAdd] changes state under vmap");
  Contains(error, "under the vmap at vmap_test.cc");
  // It leaves no state behind.
  Tensor y = sl::vmap([&](Tensor a) { return a + v; })(x);
  Session session(graph);
  session.run(sl::initialize_variables(graph));
  EXPECT_EQ(Elements<float>(session.run(y, {{x, Array::Zeros(f32, {4})}})),
            (Floats{0, 0, 0, 0}));
}

TEST(Vmap, AnErrorInABranchLeavesTheGraphAsItWas) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = sl::placeholder(sl::f32, {4}, "x");
  auto v = sl::variable(sl::constant(0.f), "v");
  int before = graph.num_nodes();
  for (int in_loop : {0, 1}) {
    auto f = sl::vmap([&](Tensor a) {
      auto write = [&](Tensor b) {
        return sl::cond(
            b * a > 0.f,
            [&] {
              v.assign_add(1.f);
              return a + b;
            },
            [&] { return a; });
      };
      if (!in_loop) return write(a + 1.f);
      return sl::while_loop([&](Tensor b) { return b < a; }, write, a);
    });
    Contains(ErrorOf([&] { f(x); }), "[AssignAdd] changes state under vmap");
    EXPECT_EQ(graph.num_nodes(), before);
  }
}

TEST(Vmap, SecondGradientsOfAVmapThatIsGone) {
  Tensor x = sl::constant({1.f, 2.f}).requires_grad_();
  Tensor y = sl::sum(sl::vmap([](Tensor v) { return v * v * v; })(x));
  y.backward({}, {.create_graph = true});
  Tensor first = x.grad();
  EXPECT_EQ(first.to_vector<float>(), (Floats{3, 12}));
  x.zero_grad();
  sl::sum(first).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{6, 12}));
}

TEST(Vmap, ATrapForNanSeesEveryOpOfEveryLane) {
  auto f = sl::vmap([](Tensor v, Tensor w) { return sl::sum(sl::log(v) * w); },
                    {.in_axes = {1, sl::unbatched}});
  Tensor x = sl::constant({{1.f, -1.f}, {1.f, 1.f}}), w = sl::ones({2});
  NanTrap on;
  std::string error = ErrorOf([&] { f(x, w); });
  Contains(error, "[Log]");
  Contains(error, "vmap_test.cc");
  EXPECT_EQ(f(sl::ones({2, 3}), w).to_vector<float>(), (Floats{0, 0, 0}));
}

TEST(Vmap, BranchesThatOnlyActRunWithTheResults) {
  Graph graph;
  Tensor x, y;
  {
    GraphScope building(graph);
    x = sl::placeholder(sl::f32, {sl::any}, "x");
    y = sl::vmap([](Tensor a) {
      sl::cond(
          a > 0.f,
          [&] { sl::call("Assert", {a < 10.f}, {{"message", "too large"}}); },
          [] {});
      return a;
    })(x);
  }
  Session session(graph);
  Array good = Array::Of<float>({2}, {1, -20}),
        bad = Array::Of<float>({2}, {1, 20});
  EXPECT_EQ(Elements<float>(session.run(y, {{x, good}})), (Floats{1, -20}));
  Contains(ErrorOf([&] { session.run(y, {{x, bad}}); }), "too large");
}

TEST(Vmap, WritingATensorOfTheProgramIsRefused) {
  Tensor total = sl::zeros({});
  auto f = sl::vmap([&](Tensor a) {
    total.add_(1.f);
    return a;
  });
  Contains(ErrorOf([&] { f(sl::ones({3})); }),
           "is written under vmap, where every lane would");
  EXPECT_EQ(total.item<float>(), 0);
}

TEST(Vmap, AssertsAtTheOutsideRunWithTheResults) {
  Graph graph;
  Tensor x, y;
  {
    GraphScope building(graph);
    x = sl::placeholder(sl::f32, {sl::any}, "x");
    y = sl::vmap([](Tensor a) {
      sl::call("Assert", {a > 0.f}, {{"message", "not positive"}});
      return a;
    })(x);
  }
  Session session(graph);
  Array good = Array::Of<float>({2}, {1, 2}),
        bad = Array::Of<float>({2}, {1, 0});
  EXPECT_EQ(Elements<float>(session.run(y, {{x, good}})), (Floats{1, 2}));
  Contains(ErrorOf([&] { session.run(y, {{x, bad}}); }), "not positive");
}

}  // namespace
}  // namespace sluice
