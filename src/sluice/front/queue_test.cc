#include "sluice/front/queue.h"

#include "sluice/front/front_test_util.h"

namespace sluice {
namespace {

TEST(QueueFace, ElementsComeOutInOrder) {
  Graph graph;
  GraphScope building(graph);
  auto queue = fifo_queue(8, {f32, i64}, {{2}, Shape()});
  auto x = placeholder(f32, {2}, "x");
  auto put = queue.enqueue({x, 7});
  auto take = queue.dequeue_many(2);
  auto size = queue.size();
  Session session(graph);
  session.run(put, {{x, {1, 2}}});
  session.run(put, {{x, {3, 4}}});
  EXPECT_EQ(session.run(size).data<int64_t>()[0], 2);
  ASSERT_EQ(take.size(), 2u);
  EXPECT_EQ(take[0].shape(), (PartialShape{2, 2}));
  std::vector<Array> got = session.run({take[0], take[1]});
  EXPECT_EQ(Elements<float>(got[0]), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(Elements<int64_t>(got[1]), (std::vector<int64_t>{7, 7}));
}

TEST(QueueFace, BatchesGoInAndOut) {
  Graph graph;
  GraphScope building(graph);
  auto queue = fifo_queue(8, {f32}, {Shape()});
  auto put = queue.enqueue_many({{1, 2, 3}});
  auto some = queue.dequeue_up_to(2);
  auto one = queue.dequeue();
  Session session(graph);
  session.run(put);
  session.run(queue.close());
  EXPECT_TRUE(session.run(queue.is_closed()).data<bool>()[0]);
  EXPECT_EQ(session.run(one[0]).data<float>()[0], 1);
  EXPECT_EQ(Elements<float>(session.run(some[0])), (std::vector<float>{2, 3}));
  Contains(ErrorOf([&] { session.run(one[0]); }), "closed");
  Contains(ErrorOf([&] { session.run(put); }), "closed");
}

TEST(QueueFace, PriorityAndPaddingAndShuffle) {
  Graph graph;
  GraphScope building(graph);
  Session session(graph, {.seed = 3});

  auto priority = priority_queue(4, {i64, f32});
  session.run(priority.enqueue({9, 1.0f}));
  session.run(priority.enqueue({2, 5.0f}));
  EXPECT_EQ(session.run(priority.dequeue()[1]).data<float>()[0], 5);

  auto padding = padding_queue(4, {f32}, {{any}});
  session.run(padding.enqueue({{1}}));
  session.run(padding.enqueue({{2, 3}}));
  EXPECT_EQ(Elements<float>(session.run(padding.dequeue_many(2)[0])),
            (std::vector<float>{1, 0, 2, 3}));

  auto shuffle = shuffle_queue(8, {i32}, {Shape()}, {.seed = 5});
  session.run(shuffle.enqueue_many({{1, 2, 3, 4}}));
  auto got = Elements<int32_t>(session.run(shuffle.dequeue_many(4)[0]));
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got, (std::vector<int32_t>{1, 2, 3, 4}));
}

TEST(QueueFace, ADeadlineEndsAWait) {
  Graph graph;
  GraphScope building(graph);
  auto queue = fifo_queue(1, {f32});
  Session session(graph);
  std::string error =
      ErrorOf([&] { session.run(queue.dequeue()[0], {}, {.timeout_ms = 1}); });
  Contains(error, "deadline");
}

TEST(QueueFace, MistakesNameTheQueueOp) {
  Graph graph;
  GraphScope building(graph);
  Contains(ErrorOf([] { fifo_queue(0, {f32}); }), "[FifoQueue] capacity is 0");
  Contains(ErrorOf([] { fifo_queue(1, {}); }), "[FifoQueue] dtypes is empty");
  auto queue = fifo_queue(1, {i32});
  Contains(ErrorOf([&] { queue.enqueue({0.5}); }), "[Enqueue]");
}

}  // namespace
}  // namespace sluice
