// Queues, barriers and accumulators as steps of one session see them. What they
// do inside is tested beside them (src/sluice/state, src/sluice/ops/state).
#include <atomic>
#include <thread>

#include "tests/conformance/conformance_test_util.h"

namespace sluice {
namespace {

class Queues : public ::testing::Test {
 protected:
  Graph graph_;
  GraphScope building_{graph_};
};

TEST_F(Queues, CodesOfAClosedQueue) {
  Queue q = fifo_queue(-1, {f32}, {Shape()});
  Operation put = q.enqueue_many({{1, 2, 3}});
  Tensor five = q.dequeue_many(5)[0], one = q.dequeue()[0];
  Session session(graph_);
  session.run(put);
  session.run(q.close());
  std::string text = ErrorOf([&] { session.run(five); });
  Contains(text,
           "is closed and has insufficient elements (requested 5, "
           "current size 3)");
  Contains(text, "queues_test.cc:");
  EXPECT_EQ(CodeOf([&] { session.run(five); }), Code::kOutOfRange);
  EXPECT_EQ(CodeOf([&] { session.run(put); }), Code::kCancelled);
  // The batch that failed gave back what it had.
  for (float want : {1, 2, 3}) EXPECT_EQ(Item(session.run(one)), want);
  EXPECT_EQ(CodeOf([&] { session.run(one); }), Code::kOutOfRange);
}

TEST_F(Queues, ABatchLargerThanTheQueueGoesThrough) {
  Queue q = fifo_queue(3, {i64}, {Shape()});
  Tensor n = Scalar(i64, "n");
  Operation put = q.enqueue_many({range(int64_t{0}, n, int64_t{1})});
  Tensor all = q.dequeue_many(n)[0];
  Session session(graph_, {.threads = 2});
  std::thread producer([&] { session.run(put, {{n, int64_t{1000}}}); });
  std::vector<int64_t> got =
      Elements<int64_t>(session.run(all, {{n, int64_t{1000}}}));
  producer.join();
  for (size_t i = 0; i < 1000; ++i) EXPECT_EQ(got[i], static_cast<int64_t>(i));
}

TEST_F(Queues, AHundredThousandElements) {
  Queue q = fifo_queue(-1, {i32, f32}, {Shape(), Shape()});
  Operation put = q.enqueue_many({range(0, 100000, 1), zeros({100000})});
  std::vector<Tensor> all = q.dequeue_many(100000);
  Session session(graph_);
  session.run(put);
  std::vector<Array> out = session.run({all[0], all[1]});
  EXPECT_EQ(out[0].data<int32_t>()[99999], 99999);
  EXPECT_EQ(out[1].shape(), (Shape{100000}));
}

TEST_F(Queues, BatchesNeedSizesThatAreKnown) {
  Queue q = fifo_queue(-1, {f32});
  Session session(graph_);
  session.run(q.enqueue({{1, 2}}));
  std::string text = ErrorOf([&] { session.run(q.dequeue_many(1)[0]); });
  Contains(text, "[DequeueMany]");
  EXPECT_EQ(Elements<float>(session.run(q.dequeue()[0])),
            (std::vector<float>{1, 2}));
}

TEST_F(Queues, OneNameIsOneQueueIfItIsAskedForTheSameWay) {
  Queue a = fifo_queue(4, {f32}, {Shape()}, {.shared_name = "both"});
  Queue b = fifo_queue(4, {f32}, {Shape()}, {.shared_name = "both"});
  Queue other = fifo_queue(5, {f32}, {Shape()}, {.shared_name = "both"});
  Session first(graph_), second(graph_, first), apart(graph_);
  first.run(a.enqueue({1.5f}));
  EXPECT_EQ(Item<int64_t>(apart.run(b.size())), 0);
  EXPECT_EQ(Item(second.run(b.dequeue()[0])), 1.5f);
  std::string text = ErrorOf([&] { first.run(other.size()); });
  Contains(text,
           "\"both\" is there already as a fifo queue (f32[]) of "
           "capacity 4; wanted a fifo queue (f32[]) of capacity 5");
}

TEST_F(Queues, ADeadlineLosesNothingAndTheQueueGoesOn) {
  Queue q = fifo_queue(-1, {f32}, {Shape()});
  Operation put = q.enqueue({3.0f});
  Tensor two = q.dequeue_many(2)[0];
  EachExecutor([&](RunOptions options) {
    Session session(graph_);
    session.run(put);
    options.timeout_ms = 3;
    EXPECT_EQ(CodeOf([&] { session.run(two, {}, options); }),
              Code::kDeadlineExceeded);
    EXPECT_EQ(Item<int64_t>(session.run(q.size())), 1);
    session.run(put);
    EXPECT_EQ(Elements<float>(session.run(two)), (std::vector<float>{3, 3}));
  });
}

TEST_F(Queues, ClosingTheSessionEndsAllThatWaits) {
  Queue empty = fifo_queue(1, {f32}, {Shape()});
  Queue full = fifo_queue(1, {f32}, {Shape()});
  Operation put = full.enqueue({1.0f});
  Tensor take = empty.dequeue()[0];
  Session session(graph_);
  session.run(put);
  std::atomic<int> started = 0;
  std::optional<Code> in, out;
  std::thread one([&] {
    ++started;
    in = CodeOf([&] { session.run(put); });
  });
  std::thread two([&] {
    ++started;
    out = CodeOf([&] { session.run(take); });
  });
  while (started < 2) std::this_thread::yield();
  session.close();
  one.join();
  two.join();
  EXPECT_EQ(in, Code::kCancelled);
  EXPECT_EQ(out, Code::kCancelled);
}

TEST_F(Queues, ShuffledOrdersDifferFromQueueToQueueAndRepeatBySeed) {
  auto order = [&](int64_t seed, std::string name) {
    ShuffleQueueOptions options{.seed = seed};
    options.resource.name = std::move(name);
    Queue q = shuffle_queue(-1, {i64}, {Shape()}, options);
    Session session(graph_);
    session.run(q.enqueue_many({range(int64_t{0}, int64_t{40}, int64_t{1})}));
    return Elements<int64_t>(session.run(q.dequeue_many(40)[0]));
  };
  std::vector<int64_t> a = order(1, "a"), b = order(1, "b"), c = order(2, "c");
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  std::sort(a.begin(), a.end());
  std::sort(c.begin(), c.end());
  EXPECT_EQ(a, c);
}

TEST_F(Queues, WhatIsKeptBackToMixComesOutAfterTheClose) {
  ShuffleQueueOptions options{.min_after_dequeue = 3, .seed = 1};
  Queue q = shuffle_queue(-1, {i64}, {Shape()}, options);
  Tensor one = q.dequeue()[0], rest = q.dequeue_up_to(10)[0];
  Session session(graph_);
  session.run(q.enqueue_many({range(int64_t{0}, int64_t{5}, int64_t{1})}));
  session.run(one);
  session.run(one);
  RunOptions soon;
  soon.timeout_ms = 3;
  EXPECT_EQ(CodeOf([&] { session.run(one, {}, soon); }),
            Code::kDeadlineExceeded);
  session.run(q.close());
  EXPECT_EQ(session.run(rest).num_elements(), 3);
}

TEST_F(Queues, PaddingNeedsARankAndFillsUpWithZeros) {
  Contains(ErrorOf([] { padding_queue(4, {f32}, {PartialShape()}); }),
           "[PaddingQueue]");
  Queue q = padding_queue(4, {f32, i64}, {{any, 2}, Shape()});
  Tensor x = placeholder(f32, {any, any}, "x");
  Operation put = q.enqueue({x, 5});
  Session session(graph_);
  session.run(put, {{x, Array::Of<float>({1, 2}, {1, 2})}});
  session.run(put, {{x, Array::Of<float>({3, 2}, {3, 4, 5, 6, 7, 8})}});
  Contains(ErrorOf([&] {
             session.run(put, {{x, Array::Zeros(DType::kF32, {1, 3})}});
           }),
           "[Enqueue] components[0] is f32[1,3]; wanted f32[?,2]");
  Array batch = session.run(q.dequeue_many(2)[0]);
  EXPECT_EQ(batch.shape(), (Shape{2, 3, 2}));
  EXPECT_EQ(Elements<float>(batch),
            (std::vector<float>{1, 2, 0, 0, 0, 0, 3, 4, 5, 6, 7, 8}));
}

TEST_F(Queues, PrioritiesSortWhatManyThreadsPutIn) {
  Queue q = priority_queue(-1, {i64, i64}, {Shape(), Shape()});
  Tensor x = Scalar(i64, "x");
  Operation put = q.enqueue({x, -x});
  std::vector<Tensor> all = q.dequeue_many(60);
  Session session(graph_, {.threads = 2});
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int64_t i = 0; i < 20; ++i) {
        session.run(put, {{x, (i * 7 + t * 13) % 60}});
      }
    });
  }
  for (std::thread& t : threads) t.join();
  std::vector<Array> out = session.run({all[0], all[1]});
  std::vector<int64_t> keys = Elements<int64_t>(out[0]);
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(out[1].data<int64_t>()[i], -keys[i]);
  }
}

TEST_F(Queues, PrioritiesAreScalarsOfI64) {
  Contains(ErrorOf([] { priority_queue(4, {f32, f32}); }), "[PriorityQueue]");
  Contains(ErrorOf([] { priority_queue(4, {i64}, {{2}}); }), "[PriorityQueue]");
}

TEST_F(Queues, ABarrierJoinsWhatComesInAnyOrderAndDropsHalvesWhenCancelled) {
  Barrier b = barrier({f32, i64}, {Shape(), Shape()});
  Session session(graph_);
  session.run(b.insert(0, {"x", "y"}, {1.0f, 2.0f}));
  session.run(b.insert(1, {"y"}, {int64_t{20}}));
  EXPECT_EQ(Item<int64_t>(session.run(cast(b.ready_size(), i64))), 1);
  EXPECT_EQ(Item<int64_t>(session.run(cast(b.incomplete_size(), i64))), 1);
  std::vector<Tensor> one = b.take(1);
  std::vector<Array> out = session.run({one[0], one[1], one[2]});
  EXPECT_EQ(Elements<float>(out[1]), std::vector<float>{2});
  EXPECT_EQ(Elements<int64_t>(out[2]), std::vector<int64_t>{20});
  session.run(b.close(true));
  EXPECT_EQ(CodeOf([&] { session.run(one[0]); }), Code::kOutOfRange);
  EXPECT_TRUE(CodeOf([&] {
                session.run(b.insert(1, {"x"}, {int64_t{10}}));
              }).has_value());
}

TEST_F(Queues, AnAccumulatorTakesEnoughAndDropsWhatIsStale) {
  Accumulator mean = accumulator(f32, {2});
  Tensor step = Scalar(i64, "step"), g = placeholder(f32, {2}, "g");
  Operation apply = mean.apply(step, g);
  Tensor two = mean.take(2);
  Session session(graph_, {.threads = 2});
  std::vector<float> got;
  std::thread waits([&] { got = Elements<float>(session.run(two)); });
  session.run(apply, {{step, int64_t{0}}, {g, {1, 2}}});
  session.run(apply, {{step, int64_t{0}}, {g, {3, 6}}});
  waits.join();
  EXPECT_EQ(got, (std::vector<float>{2, 4}));
  // It is at step 1 now: a gradient of step 0 comes too late.
  session.run(apply, {{step, int64_t{0}}, {g, {100, 100}}});
  EXPECT_EQ(Item<int64_t>(session.run(cast(mean.count(), i64))), 0);
}

}  // namespace
}  // namespace sluice
