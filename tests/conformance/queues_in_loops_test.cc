// Queues inside loops: order in, order out, to the end, whatever the bound on
// iterations at once.
#include <algorithm>
#include <thread>

#include "tests/conformance/queue_graph_test_util.h"

namespace sluice {
namespace {

// A loop of n iterations that enqueues 0, 3, 6, ...
Tensor Fill(const Queue& queue, const Operand& n, LoopOptions loop) {
  return for_loop(
      n,
      [&](Tensor i, Tensor k) {
        queue.enqueue({i * 3});
        return k + 1;
      },
      int64_t{0}, loop);
}

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

}  // namespace
}  // namespace sluice
