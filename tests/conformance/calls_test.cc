// Functions that call themselves, and captured functions with branches and
// loops in them.
#include <set>
#include <thread>

#include "tests/conformance/conformance_test_util.h"

namespace sluice {
namespace {

using Unary = Recursive<Tensor(Tensor)>;

TEST(Calls, AsDeepAsAllowedAndNoDeeper) {
  Unary sum([](const auto& self, Tensor n) {
    return cond(n <= 0, [&] { return n; }, [&] { return n + self(n - 1); });
  });
  Fn f = [&](const Tensors& x) -> Tensors { return {sum(x[0])}; };
  EXPECT_EQ(Item<int64_t>(EveryWay(f, {I(900)})[0]), 900 * 901 / 2);
  EveryWayFails(f, {I(5000)}, {"000 calls inside one another"});
}

TEST(Calls, ReadTheValuesOfTheIterationTheyAreMadeIn) {
  // The function is made in the body and reads what the body has.
  Fn f = [](const Tensors& x) -> Tensors {
    return {for_loop(
        4,
        [&](Tensor i, Tensor y) {
          Tensor step = cast(i, f32) + x[0];
          Unary down([&](const auto& self, Tensor n) {
            return cond(
                n < 0.5f, [&] { return n * 0.0f; },
                [&] { return step + self(n - 1.0f); });
          });
          return y + down(cast(i, f32));
        },
        constant(0.0f))};
  };
  // i calls, each adding i + 10.
  EXPECT_EQ(Item(EveryWay(f, {F(10)})[0]), 11 + 2 * 12 + 3 * 13);
}

TEST(Calls, OneInsideAnother) {
  // Ackermann's function needs the result of a call as an argument.
  Recursive<Tensor(Tensor, Tensor)> ackermann(
      [](const auto& self, Tensor m, Tensor n) {
        return cond(
            m < 1, [&] { return n + 1; },
            [&] {
              return cond(
                  n < 1, [&] { return self(m - 1, m * 0 + 1); },
                  [&] { return self(m - 1, self(m, n - 1)); });
            });
      });
  Fn f = [&](const Tensors& x) -> Tensors { return {ackermann(x[0], x[1])}; };
  EXPECT_EQ(Item<int64_t>(EveryWay(f, {I(2), I(2)})[0]), 7);
}

TEST(Calls, ChangeStateInTheOrderTheyAreMade) {
  Graph graph;
  GraphScope building(graph);
  Tensor n = Scalar(i64, "n");
  Variable v = variable(constant(int64_t{0}), "v");
  Operation init = initialize_variables(graph);
  // Down to n = 1 and up again.
  Unary visit([&](const auto& self, Tensor n) {
    return cond(
        n < 1, [&] { return n; },
        [&] {
          v.assign(v.read() * 10 + n);
          Tensor below = self(n - 1);
          v.assign(v.read() * 10 + n);
          return below + 1;
        });
  });
  Tensor y = visit(n);
  EachExecutor([&](const RunOptions& options) {
    Session session(graph);
    session.run(init);
    EXPECT_EQ(Item<int64_t>(session.run(y, {{n, int64_t{3}}}, options)), 3);
    EXPECT_EQ(Item<int64_t>(session.run(v)), 321123);
  });
}

TEST(Calls, DrawTheirOwnNumbers) {
  Graph graph;
  GraphScope building(graph);
  Recursive<Tensor(Tensor, Tensor)> draw([](const auto& self, Tensor n,
                                            Tensor all) {
    return cond(
        n < 1, [&] { return all; },
        [&] {
          return self(n - 1, concat({all, random_uniform({2})}, {.axis = 0}));
        });
  });
  Tensor y = draw(constant(int64_t{4}), zeros({0}));
  std::vector<float> first;
  EachExecutor([&](const RunOptions& options) {
    std::vector<float> now =
        Elements<float>(Session(graph).run(y, {}, options));
    EXPECT_EQ(std::set<float>(now.begin(), now.end()).size(), 8u);
    if (first.empty()) first = now;
    EXPECT_EQ(now, first);
  });
}

TEST(Calls, WithoutEndObeyTheDeadlineOfTheLoopAround) {
  Graph graph;
  GraphScope building(graph);
  Unary down([](const auto& self, Tensor n) {
    return cond(n < 1, [&] { return n; }, [&] { return self(n - 1); });
  });
  Tensor forever =
      while_loop([](Tensor v) { return v < 1; },
                 [&](Tensor v) { return down(v + 50); }, int64_t{0});
  EachExecutor([&](RunOptions options) {
    options.timeout_ms = 5;
    EXPECT_EQ(CodeOf([&] { Session(graph).run(forever, {}, options); }),
              Code::kDeadlineExceeded);
  });
}

TEST(Captured, OneTraceServesAllTripCountsAndSizes) {
  int recorded = 0;
  auto f = function([&](Tensor x, Tensor n) {
    ++recorded;
    return for_loop(
        n,
        [&](Tensor i, Tensor y) {
          return cond(
              sum(y) > 100.0f, [&] { return y; },
              [&] { return y + cast(i, f32); });
        },
        x);
  });
  for (int64_t size : {1, 5, 0}) {
    for (int64_t n : {0, 1, 30}) {
      Tensor y = f(zeros({size}), constant(n));
      float want = 0;
      for (int64_t i = 0; i < n; ++i) {
        if (want * static_cast<float>(size) <= 100) {
          want += static_cast<float>(i);
        }
      }
      for (float v : y.to_vector<float>()) EXPECT_EQ(v, want);
    }
  }
  EXPECT_EQ(recorded, 1);
}

TEST(Captured, CodeInBranchesIsRecordedNotRun) {
  // Side effects of C++ happen when it is recorded, of both branches; those of
  // tensors when it runs, of one.
  int yes = 0, no = 0;
  Tensor count = constant(0.0f);
  auto f = function([&](Tensor x) {
    return cond(
        x > 0.0f,
        [&] {
          ++yes;
          count.add_(1.0f);
          return x;
        },
        [&] {
          ++no;
          return -x;
        });
  });
  for (float v : {1.0f, -2.0f, 3.0f}) {
    EXPECT_EQ(f(constant(v)).item<float>(), std::abs(v));
  }
  EXPECT_EQ(yes, 1);
  EXPECT_EQ(no, 1);
  EXPECT_EQ(count.item<float>(), 2);
}

TEST(Captured, FunctionsAreCalledInBranchesAndLoops) {
  auto inner = function([](Tensor v) {
    return cond(v > 5.0f, [&] { return v - 5.0f; }, [&] { return v * 2.0f; });
  });
  Fn f = [&](const Tensors& x) -> Tensors {
    return {for_loop(x[0], [&](Tensor, Tensor v) { return inner(v); }, x[1])};
  };
  float want = 3;
  for (int i = 0; i < 7; ++i) want = want > 5 ? want - 5 : want * 2;
  EXPECT_EQ(Item(EveryWay(f, {I(7), F(3)})[0]), want);
}

TEST(Captured, AMistakeInALoopLeavesTheFunctionUsable) {
  bool wrong = true;
  auto f = function([&](Tensor x) {
    return while_loop([](Tensor v) { return v < 10.0f; },
                      [&](Tensor v) { return wrong ? v > 0.0f : v * 2.0f; }, x);
  });
  std::string text = ErrorOf([&] { f(constant(1.0f)); });
  Contains(text,
           "[while_loop] the body returns bool for value 0, which is "
           "f32");
  Contains(text, "calls_test.cc:");
  wrong = false;
  EXPECT_EQ(f(constant(1.0f)).item<float>(), 16);
}

TEST(Captured, FromSeveralThreads) {
  auto f = function([](Tensor x) {
    return for_loop(5, [](Tensor, Tensor v) { return v + v; }, x);
  });
  std::vector<float> got(4);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < got.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        got[t] = f(constant(static_cast<float>(t))).item<float>();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(got, (std::vector<float>{0, 32, 64, 96}));
}

}  // namespace
}  // namespace sluice
