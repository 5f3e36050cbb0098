// Common behaviour of all queues, tested with FIFO queues. Closing and
// cancelling are in queue_close_test.cc, threads in queue_threads_test.cc.
#include "sluice/state/queue_test_util.h"

namespace sluice {
namespace {

TEST(Queue, FirstInFirstOut) {
  QueueFixture f;
  for (int64_t i = 0; i < 3; ++i) EXPECT_TRUE(f.Put(i).status().ok());
  EXPECT_EQ(f.queue->size(), 3);
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(f.Get().value<int64_t>(), i);
  EXPECT_EQ(f.queue->size(), 0);
}

TEST(Queue, KeepsTheArrayItWasGiven) {
  QueueFixture f;
  Array v = Array::Scalar<int64_t>(1);
  Answer a;
  f.queue->Enqueue({&v, 1}, nullptr, a.reply());
  EXPECT_EQ(f.Get().out(0).raw(), v.raw());
}

TEST(Queue, CopiesBorrowedBytes) {
  QueueFixture f;
  int64_t bytes = 5;
  Array v = Array::Borrow(&bytes, DType::kI64, {});
  Answer a;
  f.queue->Enqueue({&v, 1}, nullptr, a.reply());
  bytes = 6;
  EXPECT_EQ(f.Get().value<int64_t>(), 5);
}

TEST(Queue, DequeueWaitsForAnElement) {
  QueueFixture f;
  Answer first = f.Get(), second = f.Get();
  EXPECT_TRUE(first.pending());
  EXPECT_TRUE(f.Put(1).status().ok());
  EXPECT_EQ(first.value<int64_t>(), 1);
  EXPECT_TRUE(second.pending());
  EXPECT_TRUE(f.Put(2).status().ok());
  EXPECT_EQ(second.value<int64_t>(), 2);
}

TEST(Queue, EnqueueWaitsForRoom) {
  QueueFixture f(2);
  f.Put(1);
  f.Put(2);
  Answer third = f.Put(3), fourth = f.Put(4);
  EXPECT_TRUE(third.pending());
  EXPECT_EQ(f.Get().value<int64_t>(), 1);
  EXPECT_TRUE(third.status().ok());
  EXPECT_TRUE(fourth.pending());
  EXPECT_EQ(f.queue->size(), 2);
  EXPECT_EQ(f.GetMany(3).values<int64_t>(), (I64s{2, 3, 4}));
  EXPECT_TRUE(fourth.status().ok());
}

TEST(Queue, BatchesGoInAndOut) {
  QueueFixture f;
  EXPECT_TRUE(f.PutMany({1, 2, 3, 4, 5}).status().ok());
  Answer batch = f.GetMany(3);
  EXPECT_EQ(batch.out(0).shape(), Shape({3}));
  EXPECT_EQ(batch.values<int64_t>(), (I64s{1, 2, 3}));
  EXPECT_TRUE(batch.out(0).unique());
  EXPECT_EQ(f.Get().value<int64_t>(), 4);
  EXPECT_EQ(f.GetMany(0).out(0).shape(), Shape({0}));
  EXPECT_TRUE(f.PutMany({}).status().ok());
  EXPECT_EQ(f.queue->size(), 1);
}

TEST(Queue, ABatchWaitsUntilAllAreThere) {
  QueueFixture f;
  f.PutMany({1, 2});
  Answer batch = f.GetMany(4);
  Answer after = f.Get();
  f.Put(3);
  EXPECT_TRUE(batch.pending());
  // Elements that a waiting batch has not gathered yet are still in the queue.
  EXPECT_EQ(f.queue->size(), 3);
  f.Put(4);
  EXPECT_EQ(batch.values<int64_t>(), (I64s{1, 2, 3, 4}));
  EXPECT_TRUE(after.pending());
  f.Put(5);
  EXPECT_EQ(after.value<int64_t>(), 5);
}

TEST(Queue, ABatchInMayExceedTheCapacity) {
  QueueFixture f(2);
  Answer in = f.PutMany({1, 2, 3, 4, 5});
  EXPECT_TRUE(in.pending());
  EXPECT_EQ(f.queue->size(), 2);
  for (int64_t i = 1; i <= 3; ++i) EXPECT_EQ(f.Get().value<int64_t>(), i);
  EXPECT_TRUE(in.status().ok());
  EXPECT_EQ(f.GetMany(2).values<int64_t>(), (I64s{4, 5}));
}

TEST(Queue, ABatchOutMayExceedTheCapacity) {
  QueueFixture f(2);
  Answer out = f.GetMany(5);
  EXPECT_TRUE(f.PutMany({1, 2, 3}).status().ok());
  EXPECT_TRUE(f.Put(4).status().ok());
  EXPECT_TRUE(out.pending());
  EXPECT_TRUE(f.Put(5).status().ok());
  EXPECT_EQ(out.values<int64_t>(), (I64s{1, 2, 3, 4, 5}));
}

TEST(Queue, WrongElementsAreRefusedAndChangeNothing) {
  QueueFixture f;
  f.Put(1);
  auto put = [&](std::vector<Array> parts, bool many) {
    Answer a;
    many ? f.queue->EnqueueMany(parts, nullptr, a.reply())
         : f.queue->Enqueue(parts, nullptr, a.reply());
    return a.status();
  };
  ExpectError(put({Array::Scalar(1.0f)}, false), Code::kInvalidArgument,
              "components[0] is f32[]; wanted i64[] as queue \"q\"");
  ExpectError(put({Array::Vector<int64_t>({1})}, false), Code::kInvalidArgument,
              "components[0] is i64[1]; wanted i64[]");
  ExpectError(put({}, false), Code::kInvalidArgument,
              "got 0 components; wanted 1");
  ExpectError(put({Array::Scalar<int64_t>(1)}, true), Code::kInvalidArgument,
              "components[0] is i64[]; wanted a batch");
  ExpectError(put({Array::Zeros(DType::kI64, {2, 2})}, true),
              Code::kInvalidArgument, "wanted i64[?] as queue \"q\"");
  ExpectError(f.GetMany(-1).status(), Code::kInvalidArgument,
              "n is -1; wanted 0 or more");
  EXPECT_EQ(f.queue->size(), 1);
}

TEST(Queue, ABatchNeedsKnownSizes) {
  QueueSpec spec;
  spec.tuple = {{DType::kI64}, {}, {}};
  QueueFixture f(spec);
  f.Put(1);
  ExpectError(f.GetMany(1).status(), Code::kInvalidArgument,
              "queue \"q\" knows component 0 as i64[...]; wanted all sizes "
              "known");
  EXPECT_EQ(f.Get().value<int64_t>(), 1);
}

TEST(Queue, SeveralComponentsStayTogether) {
  QueueSpec spec;
  spec.tuple = {{DType::kF32, DType::kString},
                {{2}, PartialShape::Scalar()},
                {"x", "name"}};
  Ref<Queue> queue = *Queue::Make("q", spec);
  EXPECT_EQ(queue->Describe(), "fifo queue (x: f32[2], name: string[])");
  Array batch[] = {Array::Of<float>({2, 2}, {1, 2, 3, 4}),
                   Array::Vector<std::string>({"a", "b"})};
  Answer in, out, rest;
  queue->EnqueueMany(batch, nullptr, in.reply());
  queue->Dequeue(nullptr, out.reply());
  EXPECT_TRUE(out.out(0).BitEquals(Array::Vector<float>({1, 2})));
  EXPECT_EQ(out.value<std::string>(1), "a");
  queue->DequeueMany(1, false, nullptr, rest.reply());
  EXPECT_TRUE(rest.out(0).BitEquals(Array::Of<float>({1, 2}, {3, 4})));
  EXPECT_EQ(rest.value<std::string>(1), "b");
}

TEST(Queue, ManyElements) {
  QueueFixture f;
  std::vector<int64_t> all(100000);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  Array batch = Array::Vector(std::span<const int64_t>(all));
  Answer in;
  f.queue->EnqueueMany({&batch, 1}, nullptr, in.reply());
  EXPECT_TRUE(f.GetMany(100000).out(0).BitEquals(batch));
}

}  // namespace
}  // namespace sluice
