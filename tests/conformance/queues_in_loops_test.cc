// Queues, barriers and accumulators inside branches and loops: code that waits,
// in iterations that may overlap.
#include <atomic>
#include <numeric>
#include <thread>

#include "tests/conformance/conformance_test_util.h"

namespace sluice {
namespace {

class QueuesInLoops : public ::testing::Test {
 protected:
  // A graph with one queue of i64, made anew for every executor and bound.
  struct Made {
    explicit Made(int64_t capacity) : scope(graph) {
      queue = fifo_queue(capacity, {i64}, {Shape()});
      x = Scalar(i64, "x");
      put = queue.enqueue({x});
      take = queue.dequeue()[0];
      size = queue.size();
      close = queue.close();
    }
    Graph graph;
    GraphScope scope;
    Queue queue;
    Tensor x, take, size;
    Operation put, close;
  };

  // A loop of n iterations that enqueues what f makes of each number.
  static Tensor Fill(const Queue& queue, const Operand& n, LoopOptions loop) {
    return for_loop(
        n,
        [&](Tensor i, Tensor k) {
          queue.enqueue({i * 3});
          return k + 1;
        },
        int64_t{0}, loop);
  }
  static void EachBound(
      const std::function<void(LoopOptions, const RunOptions&)>& f) {
    for (int64_t parallel : {1, 4, 32}) {
      SCOPED_TRACE(parallel);
      EachExecutor([&](const RunOptions& options) {
        f({.parallel_iterations = parallel}, options);
      });
    }
  }
  static std::vector<int64_t> Multiples(int64_t n) {
    std::vector<int64_t> all(static_cast<size_t>(n));
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = 3 * static_cast<int64_t>(i);
    return all;
  }
};

TEST_F(QueuesInLoops, ElementsGoInInTheOrderOfIterations) {
  EachBound([](LoopOptions loop, const RunOptions& options) {
    Made m(-1);
    Tensor filled = Fill(m.queue, 20, loop);
    Tensor all = m.queue.dequeue_many(20)[0];
    Session session(m.graph, {.threads = 2});
    EXPECT_EQ(Item<int64_t>(session.run(filled, {}, options)), 20);
    EXPECT_EQ(Elements<int64_t>(session.run(all)), Multiples(20));
  });
}

TEST_F(QueuesInLoops, ElementsComeOutInTheOrderOfIterations) {
  EachBound([](LoopOptions loop, const RunOptions& options) {
    Made m(-1);
    Tensor got = map_fn([&](Tensor e) { return e * 0 + m.queue.dequeue()[0]; },
                        zeros({10}, i64), loop);
    Session session(m.graph, {.threads = 2});
    for (int64_t i = 0; i < 10; ++i) session.run(m.put, {{m.x, 3 * i}});
    EXPECT_EQ(Elements<int64_t>(session.run(got, {}, options)), Multiples(10));
  });
}

TEST_F(QueuesInLoops, ALoopLongerThanTheQueueWaitsForAConsumer) {
  EachBound([](LoopOptions loop, const RunOptions& options) {
    Made m(2);
    Tensor filled = Fill(m.queue, 30, loop);
    Session session(m.graph, {.threads = 2});
    std::thread producer([&] { session.run(filled, {}, options); });
    std::vector<int64_t> got;
    for (int i = 0; i < 30; ++i) {
      got.push_back(Item<int64_t>(session.run(m.take)));
    }
    producer.join();
    EXPECT_EQ(got, Multiples(30));
  });
}

TEST_F(QueuesInLoops, DrainUntilClosedAndEmpty) {
  EachBound([](LoopOptions loop, const RunOptions& options) {
    Made m(-1);
    auto more = [&](Tensor, Tensor) {
      return logical_or(logical_not(m.queue.is_closed()),
                        m.queue.size() > int64_t{0});
    };
    auto [count, sum] = while_loop(
        more,
        [&](Tensor n, Tensor sum) {
          return std::tuple(n + 1, sum + m.queue.dequeue()[0]);
        },
        int64_t{0}, int64_t{0}, loop);
    Session session(m.graph, {.threads = 2});
    for (int64_t i = 1; i <= 9; ++i) session.run(m.put, {{m.x, i}});
    session.run(m.close);
    std::vector<Array> out = session.run({count, sum}, {}, {}, options);
    EXPECT_EQ(Item<int64_t>(out[0]), 9);
    EXPECT_EQ(Item<int64_t>(out[1]), 45);
    // Closed and empty: no iteration at all.
    EXPECT_EQ(Item<int64_t>(session.run(count, {}, options)), 0);
  });
}

TEST_F(QueuesInLoops, AClosedQueueEndsALoopWithoutEndAndKeepsWhatItDid) {
  EachBound([](LoopOptions loop, const RunOptions& options) {
    Made m(-1);
    Variable total = variable(constant(int64_t{0}), "total");
    Operation init = initialize_variables(m.graph);
    Tensor forever = while_loop([](Tensor) { return constant(true); },
                                [&](Tensor n) {
                                  total.assign_add(m.queue.dequeue()[0]);
                                  return n + 1;
                                },
                                int64_t{0}, loop);
    Session session(m.graph, {.threads = 2});
    session.run(init);
    for (int64_t i = 1; i <= 5; ++i) session.run(m.put, {{m.x, i}});
    session.run(m.close);
    std::string text;
    EXPECT_EQ(CodeOf([&] {
                try {
                  session.run(forever, {}, options);
                } catch (const Error& e) {
                  text = e.what();
                  throw;
                }
              }),
              Code::kOutOfRange);
    Contains(text, "is closed and has insufficient elements");
    Contains(text, "in iteration 5 of the loop at ");
    EXPECT_EQ(Item<int64_t>(session.run(total)), 15);
  });
}

TEST_F(QueuesInLoops, AnUntakenBranchDoesNotWait) {
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

TEST_F(QueuesInLoops, AnUntakenBranchDoesNotWaitInAFullQueueEither) {
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

TEST_F(QueuesInLoops, EveryOtherIterationWaits) {
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

TEST_F(QueuesInLoops, ADeadlineEndsAWaitInALoopAndLosesNothing) {
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

TEST_F(QueuesInLoops, ClosingTheSessionEndsAWaitInALoop) {
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

TEST_F(QueuesInLoops, StepsThatLoopOverOneQueueShareItsElements) {
  EachBound([](LoopOptions loop, const RunOptions& options) {
    Made m(4);
    Tensor n = Scalar(i64, "n");
    Tensor got = for_loop(
        n,
        [&](Tensor, Tensor all) {
          return concat({all, expand_dims(m.queue.dequeue()[0], 0)},
                        {.axis = 0});
        },
        zeros({0}, i64), loop);
    Session session(m.graph, {.threads = 2});
    std::vector<std::vector<int64_t>> parts(3);
    std::vector<std::thread> threads;
    for (auto& part : parts) {
      threads.emplace_back([&] {
        part = Elements<int64_t>(session.run(got, {{n, int64_t{10}}}, options));
      });
    }
    for (int64_t i = 0; i < 30; ++i) session.run(m.put, {{m.x, 3 * i}});
    for (std::thread& t : threads) t.join();
    std::vector<int64_t> all;
    for (const auto& part : parts) {
      // Each sees its own in the order they went in.
      EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
      all.insert(all.end(), part.begin(), part.end());
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, Multiples(30));
  });
}

TEST_F(QueuesInLoops, BarriersAndAccumulatorsWaitToo) {
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

TEST_F(QueuesInLoops, APartialRunGoesOnWhenItsLoopIsServed) {
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

TEST_F(QueuesInLoops, RecursionThatWaits) {
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
