// Conditionals, loops and calls under vmap: every lane gets the same result as
// alone.
#include "sluice/front/front_test_util.h"

namespace sluice {
namespace {

namespace sl = sluice;
using Floats = std::vector<float>;
using Longs = std::vector<int64_t>;

Tensor Vector(const Floats& v) {
  return sl::constant(Array::Of<float>({static_cast<int64_t>(v.size())}, v));
}
Tensor Whole(const Longs& v) {
  return sl::constant(Array::Vector(std::span<const int64_t>(v)));
}

TEST(VmapControlFlow, BranchesRunOnTheirLanesAlone) {
  auto f = sl::vmap([](Tensor x) {
    return sl::cond(
        x > 0.f, [&] { return sl::sqrt(x); }, [&] { return x * 10.f; });
  });
  EXPECT_EQ(f(Vector({4, -1, 9, -2})).to_vector<float>(),
            (Floats{2, -10, 3, -20}));
  EXPECT_EQ(f(Vector({4, 1})).to_vector<float>(), (Floats{2, 1}));
  EXPECT_EQ(f(Vector({-4})).to_vector<float>(), (Floats{-40}));
  EXPECT_EQ(f(sl::zeros({0})).shape(), (PartialShape{0}));
  EXPECT_EQ(f.report().lane_by_lane, 0);
}

TEST(VmapControlFlow, OneChoiceForAllLanesStaysOne) {
  auto f = sl::vmap(
      [](Tensor x, Tensor go) {
        return sl::cond(
            go, [&] { return x + 1.f; }, [&] { return sl::constant(7.f); });
      },
      {.in_axes = {0, sl::unbatched}});
  EXPECT_EQ(f(Vector({1, 2}), sl::constant(true)).to_vector<float>(),
            (Floats{2, 3}));
  EXPECT_EQ(f(Vector({1, 2}), sl::constant(false)).to_vector<float>(),
            (Floats{7, 7}));
}

TEST(VmapControlFlow, SwitchCaseWithAndWithoutADefault) {
  auto branches = [](Tensor x) {
    return std::vector<std::function<Tensor()>>{
        [=] { return x; }, [=] { return x * 2.f; }, [=] { return x * 3.f; }};
  };
  Tensor index = Whole({2, 0, 1, 2});
  auto f = sl::vmap(
      [&](Tensor i, Tensor x) { return sl::switch_case(i, branches(x)); });
  EXPECT_EQ(f(index, Vector({1, 2, 3, 4})).to_vector<float>(),
            (Floats{3, 2, 6, 12}));
  std::string error = ErrorOf([&] { f(Whole({0, 5}), Vector({1, 2})); });
  Contains(error, "an index of a lane is out of range; wanted one of the 3");
  auto g = sl::vmap([&](Tensor i, Tensor x) {
    return sl::switch_case(i, branches(x), [=] { return -x; });
  });
  EXPECT_EQ(g(Whole({0, 5, -1, 2}), Vector({1, 2, 3, 4})).to_vector<float>(),
            (Floats{1, -2, -3, 12}));
}

TEST(VmapControlFlow, LanesLeaveALoopOneByOne) {
  auto f = sl::vmap([](Tensor x) {
    return sl::while_loop(
        [](Tensor, Tensor v) { return v > 1.f; },
        [](Tensor i, Tensor v) { return std::tuple(i + 1, v / 2.f); },
        sl::constant(int64_t{0}), x);
  });
  auto g = [&](Tensor x) {
    auto [steps, last] = f(x);
    return std::pair(steps.to_vector<int64_t>(), last.to_vector<float>());
  };
  EXPECT_EQ(g(Vector({8, 1, 3, 0.5f, 32})),
            std::pair(Longs({3, 0, 2, 0, 5}), Floats({1, 1, 0.75f, 0.5f, 1})));
  EXPECT_EQ(g(Vector({0, 0})), std::pair(Longs({0, 0}), Floats({0, 0})));
  EXPECT_EQ(g(sl::zeros({0})), std::pair(Longs(), Floats()));
}

TEST(VmapControlFlow, MaximumIterationsLeavesLiveLanesWithWhatTheyCarry) {
  auto f = sl::vmap([](Tensor x) {
    return sl::while_loop([](Tensor v) { return v > 1.f; },
                          [](Tensor v) { return v / 2.f; }, x,
                          {.maximum_iterations = 2});
  });
  EXPECT_EQ(f(Vector({8, 1, 3, 32})).to_vector<float>(),
            (Floats{2, 1, 0.75f, 8}));
}

TEST(VmapControlFlow, ABodyThatNeverEndsForOtherLanesTerminates) {
  // For x = 0 the loop would be endless; only the other branch is taken.
  auto f = sl::vmap([](Tensor x) {
    return sl::cond(
        x > 0.f,
        [&] {
          return sl::while_loop([](Tensor v) { return v < 100.f; },
                                [](Tensor v) { return v * 2.f; }, x);
        },
        [&] { return x - 1.f; });
  });
  EXPECT_EQ(f(Vector({1, 0, 60, 0})).to_vector<float>(),
            (Floats{128, -1, 120, -1}));
}

TEST(VmapControlFlow, LoopsReadWhatIsAroundThemLaneByLane) {
  // Newton's square root: a is captured and differs from lane to lane.
  auto f = sl::vmap([](Tensor a) {
    return sl::while_loop(
        [&](Tensor z) { return sl::abs(z * z - a) > 1e-4f * a; },
        [&](Tensor z) { return 0.5f * (z + a / z); }, a);
  });
  Floats got = f(Vector({4, 1, 100, 2})).to_vector<float>();
  Floats want{2, 1, 10, 1.41421356f};
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-3);
}

TEST(VmapControlFlow, WhatIsCarriedMayBecomeDifferentInTheLoop) {
  // Both start equal in all lanes; the first iteration changes that.
  auto f = sl::vmap([](Tensor x) {
    auto [i, sum, last] = sl::while_loop(
        [](Tensor i, Tensor, Tensor) { return i < int64_t{3}; },
        [&](Tensor i, Tensor sum, Tensor last) {
          return std::tuple(i + int64_t{1}, sum + last, last + x);
        },
        sl::constant(int64_t{0}), sl::constant(0.f), sl::constant(1.f));
    return std::tuple(i, sum, last);
  });
  auto [i, sum, last] = f(Vector({1, 10}));
  EXPECT_EQ(i.to_vector<int64_t>(), (Longs{3, 3}));
  EXPECT_EQ(sum.to_vector<float>(), (Floats{6, 33}));
  EXPECT_EQ(last.to_vector<float>(), (Floats{4, 31}));
}

TEST(VmapControlFlow, ShapesMayChangeInALoopWhereAllLanesAgree) {
  auto f = sl::vmap([](Tensor x) {
    auto [i, all] = sl::while_loop(
        [](Tensor i, Tensor) { return i < int64_t{3}; },
        [&](Tensor i, Tensor all) {
          return std::tuple(i + int64_t{1},
                            sl::call("Concat", {all, all + 1.f})[0]);
        },
        sl::constant(int64_t{0}), x);
    return all;
  });
  Tensor y = f(sl::zeros({2, 1}));
  EXPECT_EQ(y.shape(), (PartialShape{2, 8}));
  EXPECT_EQ(y[1].to_vector<float>(), (Floats{0, 1, 1, 2, 1, 2, 2, 3}));
}

TEST(VmapControlFlow, LoopsInBranchesInLoops) {
  // Steps of the Collatz sequence, counted twice over.
  auto collatz = [](Tensor n) {
    auto [steps, last] =
        sl::while_loop([](Tensor, Tensor n) { return n > int64_t{1}; },
                       [](Tensor steps, Tensor n) {
                         Tensor next = sl::cond(
                             sl::equal(sl::mod(n, int64_t{2}), int64_t{0}),
                             [&] { return sl::floor_div(n, int64_t{2}); },
                             [&] { return n * int64_t{3} + int64_t{1}; });
                         return std::tuple(steps + int64_t{1}, next);
                       },
                       sl::constant(int64_t{0}), n);
    return steps;
  };
  Longs numbers;
  Longs want;
  for (int64_t n = 1; n < 30; ++n) {
    numbers.push_back(n);
    want.push_back(collatz(sl::constant(n)).item<int64_t>());
  }
  EXPECT_EQ(sl::vmap(collatz)(Whole(numbers)).to_vector<int64_t>(), want);
}

TEST(VmapControlFlow, NestedVmapOfLoopsOfDifferentLengths) {
  auto halve = sl::vmap([](Tensor x) {
    return sl::while_loop([](Tensor v) { return v > 1.f; },
                          [](Tensor v) { return v / 2.f; }, x);
  });
  auto f = sl::vmap([&](Tensor row) { return halve(row * 2.f); });
  Tensor y = f(sl::constant({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}));
  EXPECT_EQ(y.to_vector<float>(), (Floats{1, 1, 0.75f, 1, 0.625f, 0.75f}));
}

TEST(VmapControlFlow, RecursiveFunctionsCallThemselvesForSomeLanes) {
  auto f = sl::vmap([](Tensor n) {
    sl::Recursive<Tensor(Tensor)> factorial([](const auto& self, Tensor n) {
      return sl::cond(
          n > 1.f, [&] { return n * self(n - 1.f); },
          [&] { return sl::constant(1.f); });
    });
    return factorial(n);
  });
  EXPECT_EQ(f(Vector({5, 0, 3, 1})).to_vector<float>(), (Floats{120, 1, 6, 1}));
}

TEST(VmapControlFlow, ScanMapAndForLoopOnEveryLane) {
  Tensor xs = sl::constant({{1.f, 2.f, 3.f}, {10.f, 20.f, 30.f}});
  auto sums = sl::vmap([](Tensor row) {
    auto [all, last] = sl::scan(
        [](Tensor sum, Tensor x) { return std::pair(sum * x, sum + x); },
        sl::constant(1.f), row);
    return std::pair(all, last);
  });
  auto [all, last] = sums(xs);
  EXPECT_EQ(all.to_vector<float>(), (Floats{1, 4, 12, 10, 220, 930}));
  EXPECT_EQ(last.to_vector<float>(), (Floats{7, 61}));
  EXPECT_EQ(sums.report().lane_by_lane, 0) << sums.report().ToString();
  auto squares = sl::vmap([](Tensor row) {
    return sl::map_fn([](Tensor x) { return x * x; }, row);
  });
  EXPECT_EQ(squares(xs).to_vector<float>(), (Floats{1, 4, 9, 100, 400, 900}));
}

TEST(VmapControlFlow, ListsOfLanes) {
  Tensor xs = sl::constant({{1.f, 2.f, 3.f}, {10.f, 20.f, 30.f}});
  Tensor at = Whole({2, 0});
  auto f = sl::vmap([](Tensor row, Tensor at) {
    sl::List parts = sl::List::of(row);
    parts = parts.append(sl::sum(row));
    sl::List fresh(sl::f32, {});
    fresh = fresh.append(row[0]).append(sl::constant(5.f));
    return std::tuple(parts.get(at), parts.get(int64_t{3}), fresh.stack(),
                      parts.size());
  });
  auto [picked, total, both, size] = f(xs, at);
  EXPECT_EQ(picked.to_vector<float>(), (Floats{3, 10}));
  EXPECT_EQ(total.to_vector<float>(), (Floats{6, 60}));
  EXPECT_EQ(both.to_vector<float>(), (Floats{1, 5, 10, 5}));
  EXPECT_EQ(size.to_vector<int64_t>(), (Longs{4, 4}));
}

TEST(VmapControlFlow, ListsInLoopsThatLanesLeaveAreEachLanesOwn) {
  auto grown = [](Tensor x) {
    auto [v, list] =
        sl::while_loop([](Tensor v, sl::List) { return v > 1.f; },
                       [](Tensor v, sl::List list) {
                         return std::tuple(v / 2.f, list.append(v));
                       },
                       x, sl::List(sl::f32, {}));
    return list;
  };
  auto size = sl::vmap([&](Tensor x) { return grown(x).size(); });
  EXPECT_EQ(size(Vector({8, 1, 3})).to_vector<int64_t>(),
            (std::vector<int64_t>{3, 0, 2}));
  // The second to last element of each.
  auto last = sl::vmap([&](Tensor x) {
    sl::List list = grown(x);
    return list.get(list.size() - int64_t{2});
  });
  EXPECT_EQ(last(Vector({8, 3})).to_vector<float>(), (Floats{4, 3}));
  auto all = sl::vmap([&](Tensor x) { return grown(x).stack(); });
  EXPECT_EQ(all(Vector({8, 5})).to_vector<float>(),
            (Floats{8, 4, 2, 5, 2.5, 1.25}));
  Contains(ErrorOf([&] { all(Vector({8, 3})); }),
           "another size than the first");
}

TEST(VmapControlFlow, AssertsFireForLanesTakenAlone) {
  auto f = sl::vmap([](Tensor x) {
    return sl::cond(
        x > 0.f,
        [&] {
          sl::call("Assert", {x < 10.f}, {{"message", "x is too large"}});
          return x;
        },
        [&] { return -x; });
  });
  EXPECT_EQ(f(Vector({5, -50})).to_vector<float>(), (Floats{5, 50}));
  Contains(ErrorOf([&] { f(Vector({50, -5})); }), "x is too large");
  EXPECT_EQ(f(Vector({-50, -60})).to_vector<float>(), (Floats{50, 60}));
}

TEST(VmapControlFlow, PrintsFireOncePerLaneTaken) {
  auto f = sl::vmap([](Tensor x) {
    return sl::cond(
        x > 0.f,
        [&] { return sl::call("Print", {x}, {{"message", "took "}})[0]; },
        [&] { return -x; });
  });
  testing::internal::CaptureStderr();
  f(Vector({5, -50, 7}));
  f(Vector({-1, -2, -3}));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "took 5\ntook 7\n");
}

TEST(VmapControlFlow, AnErrorNamesTheIterationAndTheUsersLine) {
  auto f = sl::vmap([](Tensor x) {
    return sl::while_loop([](Tensor v) { return v > 0.f; },
                          [](Tensor v) {
                            sl::call("Assert", {v < 3.f},
                                     {{"message", "v grew"}});
                            return v + 1.f;
                          },
                          x);
  });
  std::string error = ErrorOf([&] { f(Vector({-1, 1})); });
  Contains(error, "v grew");
  Contains(error, "in iteration 2 of the loop");
  Contains(error, "control_flow_test.cc");
}

}  // namespace
}  // namespace sluice
