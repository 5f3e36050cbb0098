// Steps with loops in them: deadlines, cancellation, closing, many at once.
#include <atomic>
#include <thread>

#include "tests/conformance/conformance_test_util.h"

namespace sluice {
namespace {

class Steps : public ::testing::Test {
 protected:
  Steps() {
    GraphScope building(graph_);
    p_ = Scalar(boolean, "p");
    x_ = Scalar(f32, "x");
    n_ = Scalar(i64, "n");
    forever_ = while_loop([](Tensor) { return constant(true); },
                          [](Tensor v) { return v + 1.0f; }, x_);
    // Neither an inner loop nor a branch nor a call hides one without end.
    inner_ = for_loop(
        2,
        [&](Tensor, Tensor y) {
          return cond(
              y > -1.0f,
              [&] {
                return while_loop([](Tensor v) { return v > -1.0f; },
                                  [](Tensor v) { return v * 0.5f; }, y);
              },
              [&] { return y; });
        },
        x_);
    ends_ = for_loop(
        n_,
        [](Tensor i, Tensor v) {
          return cond(
              equal(mod(i, int64_t{3}), int64_t{0}), [&] { return v * 2.0f; },
              [&] { return v - cast(i, f32); });
        },
        x_);
  }
  static float Expected(float x, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      x = i % 3 == 0 ? x * 2 : x - static_cast<float>(i);
    }
    return x;
  }
  Graph graph_;
  Tensor p_, x_, n_, forever_, inner_, ends_;
};

TEST_F(Steps, ALoopWithoutEndObeysItsDeadline) {
  EachExecutor([&](RunOptions options) {
    Session session(graph_);
    for (const Tensor& t : {forever_, inner_}) {
      options.timeout_ms = 5;
      std::optional<Code> code =
          CodeOf([&] { session.run(t, {{x_, 1}}, options); });
      EXPECT_EQ(code, Code::kDeadlineExceeded);
    }
    // And the session goes on.
    options.timeout_ms = 0;
    EXPECT_EQ(Item(session.run(ends_, {{x_, 1}, {n_, int64_t{4}}}, options)),
              Expected(1, 4));
  });
}

TEST_F(Steps, ALoopThatKeepsToItsDeadlineIsNotDisturbed) {
  EachExecutor([&](RunOptions options) {
    Session session(graph_);
    options.timeout_ms = 600'000;
    EXPECT_EQ(Item(session.run(ends_, {{x_, 1}, {n_, int64_t{50}}}, options)),
              Expected(1, 50));
  });
}

TEST_F(Steps, CancellingFromAnotherThreadEndsALoop) {
  EachExecutor([&](RunOptions options) {
    Session session(graph_);
    options.cancellation = std::make_shared<Cancellation>();
    std::string text;
    std::atomic<bool> started = false;
    std::thread runner([&] {
      started = true;
      text = ErrorOf([&] { session.run(forever_, {{x_, 1}}, options); });
    });
    while (!started) std::this_thread::yield();
    options.cancellation->Cancel(Cancelled("by the user"));
    runner.join();
    Contains(text, "by the user");
  });
}

TEST_F(Steps, ClosingTheSessionEndsItsLoops) {
  EachExecutor([&](const RunOptions& options) {
    Session session(graph_);
    std::vector<std::optional<Code>> codes(3);
    std::atomic<int> started = 0;
    std::vector<std::thread> threads;
    for (auto& code : codes) {
      threads.emplace_back([&] {
        ++started;
        code = CodeOf([&] { session.run(inner_, {{x_, 1}}, options); });
      });
    }
    while (started < 3) std::this_thread::yield();
    session.close();
    for (std::thread& t : threads) t.join();
    for (const auto& code : codes) EXPECT_EQ(code, Code::kCancelled);
  });
}

TEST_F(Steps, ManyAtOnceOverTheSameLoopDoNotMix) {
  EachExecutor([&](const RunOptions& options) {
    Session session(graph_, {.threads = 2});
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int64_t k = 0; k < 25; ++k) {
          auto x = static_cast<float>(t);
          Array y = session.run(ends_, {{x_, x}, {n_, k}}, options);
          if (*y.data<float>() != Expected(x, k)) ++wrong;
        }
      });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(wrong, 0);
  });
}

TEST_F(Steps, OneThatFailsLeavesTheOthersAlone) {
  Tensor fails;
  {
    GraphScope building(graph_);
    fails = for_loop(
        n_,
        [](Tensor i, Tensor v) {
          assert_that(i < 5, {}, {.message = "five"});
          return v + 1.0f;
        },
        x_);
  }
  EachExecutor([&](const RunOptions& options) {
    Session session(graph_, {.threads = 2});
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        int64_t n = t % 2 ? 5 : 6;  // every other one fails
        for (int k = 0; k < 20; ++k) {
          std::optional<Code> code =
              CodeOf([&] { session.run(fails, {{x_, 0}, {n_, n}}, options); });
          if (code.has_value() != (n == 6)) ++wrong;
        }
      });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(wrong, 0);
  });
}

TEST_F(Steps, APreparedLoopRunsForAnyShapeAndTripCount) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = placeholder(f32, {any, any}, "x"), n = Scalar(i64, "n");
  Tensor y = for_loop(n, [](Tensor, Tensor v) { return v + sum(v); }, x);
  for (ExecutorChoice choice : {ExecutorChoice::kAuto, ExecutorChoice::kTape,
                                ExecutorChoice::kTokens}) {
    Session session(graph);
    Callable run = session.prepare({y}, {x, n}, {}, choice);
    for (int64_t rows : {1, 3, 0}) {
      for (int64_t trips : {2, 0, 1}) {
        Array a = Array::Zeros(DType::kF32, {rows, 2});
        EXPECT_EQ(run({a, I(trips)})[0].shape(), (Shape{rows, 2}));
      }
    }
    Array one = Array::Of<float>({1, 1}, {1});
    EXPECT_EQ(Item(run({one, I(3)})[0]), 8);
  }
}

TEST_F(Steps, TheGraphMayGrowByALoopBetweenSteps) {
  Session session(graph_);
  EXPECT_EQ(Item(session.run(ends_, {{x_, 1}, {n_, int64_t{2}}})),
            Expected(1, 2));
  Tensor more;
  {
    GraphScope building(graph_);
    more = for_loop(n_, [&](Tensor, Tensor v) { return v + ends_; }, ends_);
  }
  EXPECT_EQ(Item(session.run(more, {{x_, 1}, {n_, int64_t{2}}})),
            3 * Expected(1, 2));
}

TEST_F(Steps, NansInsideALoopAreTrappedWithTheirIteration) {
  Tensor y;
  {
    GraphScope building(graph_);
    // 3, 1.1, 0.09, -2.4, and no logarithm of that.
    y = for_loop(5, [](Tensor, Tensor v) { return log(v); }, x_);
  }
  EachExecutor([&](RunOptions options) {
    Session session(graph_);
    options.nan_trap = true;
    std::string text = ErrorOf([&] { session.run(y, {{x_, 3}}, options); });
    Contains(text, "[Log]");
    Contains(text, "in iteration 3 of the loop at ");
    Contains(text, "steps_test.cc:");
  });
}

}  // namespace
}  // namespace sluice
