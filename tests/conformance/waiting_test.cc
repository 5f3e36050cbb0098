// Code that waits inside branches, loops and calls, and what ends the wait.
#include <atomic>
#include <thread>

#include "tests/conformance/queue_graph_test_util.h"

namespace sluice {
namespace {

using Waiting = QueuesInLoops;

TEST_F(Waiting, AnUntakenBranchDoesNotWait) {
  EachBound([](LoopOptions, const RunOptions& options) {
    Made m(1);
    Tensor p = Scalar(boolean, "p");
    Tensor y = cond(
        p, [&] { return m.queue.dequeue()[0]; },
        [&] { return constant(int64_t{-1}); });
    Session session(m.graph);
    EXPECT_EQ(Item<int64_t>(session.run(y, {{p, false}}, options)), -1);
    session.run(m.put, {{m.x, 7}});
    EXPECT_EQ(Item<int64_t>(session.run(y, {{p, false}}, options)), -1);
    EXPECT_EQ(Item<int64_t>(session.run(m.size)), 1);
    EXPECT_EQ(Item<int64_t>(session.run(y, {{p, true}}, options)), 7);
  });
}

TEST_F(Waiting, AnUntakenBranchDoesNotWaitInAFullQueueEither) {
  EachBound([](LoopOptions, const RunOptions& options) {
    Made m(1);
    Tensor p = Scalar(boolean, "p");
    Operation maybe = cond(p, [&] { m.queue.enqueue({int64_t{2}}); }, [&] {});
    Session session(m.graph);
    session.run(m.put, {{m.x, 1}});
    session.run(maybe, {{p, false}}, options);
    EXPECT_EQ(Item<int64_t>(session.run(m.size)), 1);
    EXPECT_EQ(Item<int64_t>(session.run(m.take)), 1);
    session.run(maybe, {{p, true}}, options);
    EXPECT_EQ(Item<int64_t>(session.run(m.take)), 2);
  });
}

TEST_F(Waiting, EveryOtherIterationWaits) {
  EachBound([](LoopOptions loop, const RunOptions& options) {
    Made m(1);
    Tensor y = for_loop(
        8,
        [&](Tensor i, Tensor sum) {
          return cond(
              equal(mod(i, int64_t{2}), int64_t{0}),
              [&] { return sum * 10 + m.queue.dequeue()[0]; },
              [&] { return sum; });
        },
        int64_t{0}, loop);
    Session session(m.graph, {.threads = 2});
    std::thread producer([&] {
      for (int64_t i = 1; i <= 4; ++i) session.run(m.put, {{m.x, i}});
    });
    EXPECT_EQ(Item<int64_t>(session.run(y, {}, options)), 1234);
    producer.join();
    EXPECT_EQ(Item<int64_t>(session.run(m.size)), 0);
  });
}

TEST_F(Waiting, ADeadlineEndsAWaitInALoopAndLosesNothing) {
  EachBound([](LoopOptions loop, RunOptions options) {
    Made m(-1);
    Tensor y = for_loop(
        3, [&](Tensor, Tensor s) { return s * 10 + m.queue.dequeue()[0]; },
        int64_t{0}, loop);
    Session session(m.graph, {.threads = 2});
    options.timeout_ms = 5;
    EXPECT_EQ(CodeOf([&] { session.run(y, {}, options); }),
              Code::kDeadlineExceeded);
    for (int64_t i = 1; i <= 3; ++i) session.run(m.put, {{m.x, i}});
    options.timeout_ms = 0;
    EXPECT_EQ(Item<int64_t>(session.run(y, {}, options)), 123);
  });
}

TEST_F(Waiting, ClosingTheSessionEndsAWaitInALoop) {
  EachBound([](LoopOptions loop, const RunOptions& options) {
    Made m(1);
    Tensor y = for_loop(
        3, [&](Tensor, Tensor s) { return s + m.queue.dequeue()[0]; },
        int64_t{0}, loop);
    Session session(m.graph, {.threads = 2});
    std::atomic<bool> started = false;
    std::optional<Code> code;
    std::thread waits([&] {
      started = true;
      code = CodeOf([&] { session.run(y, {}, options); });
    });
    while (!started) std::this_thread::yield();
    session.close();
    waits.join();
    EXPECT_EQ(code, Code::kCancelled);
  });
}

TEST_F(Waiting, BarriersAndAccumulatorsWaitToo) {
  EachBound([](LoopOptions loop, const RunOptions& options) {
    Graph graph;
    GraphScope building(graph);
    Barrier pairs = barrier({f32, f32}, {Shape(), Shape()});
    Accumulator sums = accumulator(f32, Shape(), "sum");
    Operation left = pairs.insert(0, {"a", "b"}, {1.0f, 2.0f});
    Operation right = pairs.insert(1, {"a", "b"}, {10.0f, 20.0f});
    Operation apply = sums.apply(int64_t{0}, 5.0f);
    Tensor y = for_loop(
        2,
        [&](Tensor i, Tensor y) {
          std::vector<Tensor> joined = pairs.take(1);
          Tensor more = cond(
              i < 1, [&] { return sums.take(1); },
              [] { return constant(0.0f); });
          return y + sum(joined[1] * joined[2]) + more;
        },
        constant(0.0f), loop);
    Session session(graph, {.threads = 2});
    float got = 0;
    std::thread waits([&] { got = Item(session.run(y, {}, options)); });
    session.run(left);
    session.run(apply);
    session.run(right);
    waits.join();
    EXPECT_EQ(got, 10 + 40 + 5);
  });
}

TEST_F(Waiting, APartialRunGoesOnWhenItsLoopIsServed) {
  Made m(-1);
  Tensor n = Scalar(i64, "n"), b = Scalar(i64, "b");
  Tensor y = for_loop(
      n, [&](Tensor, Tensor s) { return s * 10 + m.queue.dequeue()[0]; },
      int64_t{0});
  Tensor z = y + b;
  Session session(m.graph);
  PartialStep step = session.partial_run({n, b}, {y, z});
  int64_t got = 0;
  std::thread waits(
      [&] { got = Item<int64_t>(step.run({y}, {{n, int64_t{2}}})[0]); });
  session.run(m.put, {{m.x, 4}});
  session.run(m.put, {{m.x, 5}});
  waits.join();
  EXPECT_EQ(got, 45);
  EXPECT_EQ(Item<int64_t>(step.run({z}, {{b, int64_t{1}}})[0]), 46);
}

TEST_F(Waiting, RecursionThatWaits) {
  EachBound([](LoopOptions, const RunOptions& options) {
    Made m(-1);
    Recursive<Tensor(Tensor)> drain([&](const auto& self, Tensor n) {
      return cond(
          n <= 0, [&] { return n * 0; },
          [&] {
            Tensor first = m.queue.dequeue()[0];
            return self(n - 1) * 10 + first;
          });
    });
    Tensor y = drain(constant(int64_t{4}));
    Session session(m.graph);
    for (int64_t i = 1; i <= 4; ++i) session.run(m.put, {{m.x, i}});
    EXPECT_EQ(Item<int64_t>(session.run(y, {}, options)), 4321);
  });
}

}  // namespace
}  // namespace sluice
