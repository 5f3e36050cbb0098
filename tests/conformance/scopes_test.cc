// Orders that the program asks for explicitly, names and devices: scopes around
// and inside branches and loops.
#include <thread>

#include "sluice/graph/graph.h"
#include "tests/conformance/conformance_test_util.h"

namespace sluice {
namespace {

// A graph that writes its history: digits appended to a variable.
struct History {
  Graph graph;
  Variable v;
  Operation init;
  Tensor p, n, read;

  History() {
    GraphScope building(graph);
    p = Scalar(boolean, "p");
    n = Scalar(i64, "n");
    v = variable(constant(0.0f), "v");
    init = initialize_variables(graph);
    read = v.read();
  }
  Operation Note(float digit) const {
    return v.assign(v.read() * 10.0f + digit);
  }
  // What running the target writes, with every executor the same.
  std::vector<float> Runs(const Operation& target, const Feeds& feeds) {
    std::vector<float> all;
    EachExecutor([&](const RunOptions& options) {
      Session session(graph);
      session.run(init);
      session.run(target, feeds, options);
      all.push_back(Item(session.run(read)));
    });
    return all;
  }
};

std::vector<float> Thrice(float v) { return {v, v, v}; }

TEST(ControlDependencies, AConditionalWaitsForWhatIsOutside) {
  History h;
  Operation branch;
  {
    GraphScope building(h.graph);
    Operation before = h.Note(1);
    ControlScope after({before});
    branch = cond(h.p, [&] { h.Note(2); }, [&] { h.Note(3); });
  }
  EXPECT_EQ(h.Runs(branch, {{h.p, true}}), Thrice(12));
  EXPECT_EQ(h.Runs(branch, {{h.p, false}}), Thrice(13));
}

TEST(ControlDependencies, ALoopWaitsForWhatIsOutsideEvenWithoutIterations) {
  History h;
  Tensor y;
  {
    GraphScope building(h.graph);
    Operation before = h.Note(1);
    ControlScope after({before});
    y = for_loop(h.n, [](Tensor, Tensor k) { return k + 1; }, int64_t{0});
  }
  for (int64_t n : {0, 3}) {
    // v is nothing to the loop: the order is asked for, not implied.
    EXPECT_EQ(h.Runs(y.operation(), {{h.n, n}}), Thrice(1));
  }
}

TEST(ControlDependencies, WhatWaitsForALoopRunsAfterItsLastIteration) {
  History h;
  Operation last;
  {
    GraphScope building(h.graph);
    Tensor y = for_loop(
        h.n,
        [&](Tensor, Tensor k) {
          h.Note(7);
          return k + 1;
        },
        int64_t{0});
    ControlScope after({y.operation()});
    last = h.Note(1);
  }
  EXPECT_EQ(h.Runs(last, {{h.n, 0}}), Thrice(1));
  EXPECT_EQ(h.Runs(last, {{h.n, 3}}), Thrice(7771));
}

TEST(ControlDependencies, InsideABodyTheyOrderEachIteration) {
  // The assertion reads nothing the update writes, and is asked for before it.
  History h;
  Tensor y;
  {
    GraphScope building(h.graph);
    y = for_loop(
        h.n,
        [&](Tensor i, Tensor k) {
          Operation check =
              assert_that(i < 2, {}, {.message = "third iteration"});
          ControlScope after({check});
          h.Note(5);
          return k + 1;
        },
        int64_t{0});
  }
  EXPECT_EQ(h.Runs(y.operation(), {{h.n, 2}}), Thrice(55));
  EachExecutor([&](const RunOptions& options) {
    Session session(h.graph);
    session.run(h.init);
    std::string text = ErrorOf(
        [&] { session.run(y.operation(), {{h.n, int64_t{5}}}, options); });
    Contains(text, "third iteration");
    Contains(text, "in iteration 2 of the loop at ");
    // Two updates are done, the third waited for what failed.
    EXPECT_EQ(Item(session.run(h.read)), 55);
  });
}

TEST(ControlDependencies, ABodyMayWaitForWhatIsOutside) {
  History h;
  Tensor y;
  {
    GraphScope building(h.graph);
    Operation before = h.Note(1);
    y = for_loop(
        h.n,
        [&](Tensor, Tensor k) {
          ControlScope after({before});
          return k + 1;
        },
        int64_t{0});
  }
  EXPECT_EQ(h.Runs(y.operation(), {{h.n, int64_t{2}}}), Thrice(1));
}

TEST(ControlDependencies, NothingOutsideWaitsForOneNodeInside) {
  History h;
  GraphScope building(h.graph);
  Operation inside;
  cond(h.p, [&] { inside = h.Note(1); }, [&] {});
  Contains(ErrorOf([&] {
             ControlScope after({inside});
             h.Note(2);
           }),
           "region");
}

TEST(ControlDependencies, OfTheScopeAroundDoNotLeakOutOfABranch) {
  History h;
  GraphScope building(h.graph);
  Tensor after_all;
  cond(
      h.p,
      [&] {
        Operation inside = h.Note(1);
        ControlScope waits({inside});
        return h.v.read();
      },
      [&] { return h.v.read(); });
  Tensor free = h.n + 1;
  EXPECT_TRUE(free.operation().node().controls().empty());
}

TEST(NameScopes, HoldInsideBranchesAndLoops) {
  Graph graph;
  GraphScope building(graph);
  Tensor p = Scalar(boolean, "p"), x = Scalar(f32, "x");
  Tensor in_branch, in_loop, outside;
  {
    NameScope encoder("encoder");
    cond(p, [&] { return in_branch = x + 1.0f; }, [&] { return x; });
    NameScope inner("inner");
    while_loop([](Tensor v) { return v < 9.0f; },
               [&](Tensor v) { return in_loop = v + 1.0f; }, x);
  }
  outside = x + 1.0f;
  EXPECT_TRUE(in_branch.name().starts_with("encoder/")) << in_branch.name();
  EXPECT_TRUE(in_loop.name().starts_with("encoder/inner/")) << in_loop.name();
  EXPECT_FALSE(outside.name().starts_with("encoder")) << outside.name();
  EXPECT_NE(in_branch.name(), outside.name());
}

TEST(DeviceScopes, HoldInsideBranchesAndLoops) {
  Graph graph;
  GraphScope building(graph);
  Tensor p = Scalar(boolean, "p"), x = Scalar(f32, "x");
  Tensor in_branch, in_loop, elsewhere, outside;
  {
    DeviceScope on("/cpu:0");
    cond(p, [&] { return in_branch = x + 1.0f; }, [&] { return x; });
    while_loop([](Tensor v) { return v < 9.0f; },
               [&](Tensor v) {
                 DeviceScope other("/sim:1");
                 elsewhere = v + 2.0f;
                 return in_loop = v + 1.0f;
               },
               x);
  }
  outside = x + 1.0f;
  auto device = [](const Tensor& t) { return t.operation().node().device(); };
  EXPECT_EQ(device(in_branch), "/cpu:0");
  EXPECT_EQ(device(in_loop), "/sim:1");
  EXPECT_EQ(device(elsewhere), "/sim:1");
  EXPECT_EQ(device(outside), "");
}

TEST(Threads, EachBuildsItsOwnGraphWithItsOwnLoops) {
  std::vector<float> got(4);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < got.size(); ++t) {
    threads.emplace_back([&got, t] {
      Graph graph;
      GraphScope building(graph);
      Tensor x = Scalar(f32, "x");
      Tensor y = for_loop(
          5,
          [&](Tensor, Tensor v) {
            return cond(
                v > 10.0f, [&] { return v; },
                [&] { return v + static_cast<float>(t); });
          },
          x);
      got[t] = Item(Session(graph).run(y, {{x, 1}}));
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(got, (std::vector<float>{1, 6, 11, 13}));
}

}  // namespace
}  // namespace sluice
