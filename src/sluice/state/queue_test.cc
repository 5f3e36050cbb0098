// What every queue does, tried on first-in, first-out queues, and what is
// special about the other kinds. Threads are in queue_threads_test.cc.
#include "sluice/state/queue.h"

#include <algorithm>

#include "sluice/state/state_test_util.h"

namespace sluice {
namespace {

constexpr int64_t kAny = kUnknownDim;
using I64s = std::vector<int64_t>;

QueueSpec ScalarSpec(QueueOrder order, int64_t capacity) {
  QueueSpec spec;
  spec.order = order;
  spec.tuple = {{DType::kI64}, {PartialShape::Scalar()}, {}};
  spec.capacity = capacity;
  return spec;
}

// A queue of i64 scalars and short ways to use it.
struct Fixture {
  explicit Fixture(const QueueSpec& spec) : queue(*Queue::Make("q", spec)) {}
  explicit Fixture(int64_t capacity = -1)
      : Fixture(ScalarSpec(QueueOrder::kFifo, capacity)) {}

  Answer Put(int64_t v, Cancellation* c = nullptr) {
    Answer a;
    Array parts[] = {Array::Scalar(v)};
    queue->Enqueue(parts, c, a.reply());
    return a;
  }
  Answer PutMany(std::initializer_list<int64_t> v, Cancellation* c = nullptr) {
    Answer a;
    Array parts[] = {Array::Vector<int64_t>(v)};
    queue->EnqueueMany(parts, c, a.reply());
    return a;
  }
  Answer Get(Cancellation* c = nullptr) {
    Answer a;
    queue->Dequeue(c, a.reply());
    return a;
  }
  Answer GetMany(int64_t n, bool up_to = false, Cancellation* c = nullptr) {
    Answer a;
    queue->DequeueMany(n, up_to, c, a.reply());
    return a;
  }
  Ref<Queue> queue;
};

TEST(Queue, FirstInFirstOut) {
  Fixture f;
  for (int64_t i = 0; i < 3; ++i) EXPECT_TRUE(f.Put(i).status().ok());
  EXPECT_EQ(f.queue->size(), 3);
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(f.Get().value<int64_t>(), i);
  EXPECT_EQ(f.queue->size(), 0);
}

TEST(Queue, KeepsTheArrayItWasGiven) {
  Fixture f;
  Array v = Array::Scalar<int64_t>(1);
  Answer a;
  f.queue->Enqueue({&v, 1}, nullptr, a.reply());
  EXPECT_EQ(f.Get().out(0).raw(), v.raw());
}

TEST(Queue, CopiesBorrowedBytes) {
  Fixture f;
  int64_t bytes = 5;
  Array v = Array::Borrow(&bytes, DType::kI64, {});
  Answer a;
  f.queue->Enqueue({&v, 1}, nullptr, a.reply());
  bytes = 6;
  EXPECT_EQ(f.Get().value<int64_t>(), 5);
}

TEST(Queue, DequeueWaitsForAnElement) {
  Fixture f;
  Answer first = f.Get(), second = f.Get();
  EXPECT_TRUE(first.pending());
  EXPECT_TRUE(f.Put(1).status().ok());
  EXPECT_EQ(first.value<int64_t>(), 1);
  EXPECT_TRUE(second.pending());
  EXPECT_TRUE(f.Put(2).status().ok());
  EXPECT_EQ(second.value<int64_t>(), 2);
}

TEST(Queue, EnqueueWaitsForRoom) {
  Fixture f(2);
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
  Fixture f;
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
  Fixture f;
  f.PutMany({1, 2});
  Answer batch = f.GetMany(4);
  Answer after = f.Get();
  f.Put(3);
  EXPECT_TRUE(batch.pending());
  // Elements a waiting batch does not hold yet are still in the queue.
  EXPECT_EQ(f.queue->size(), 3);
  f.Put(4);
  EXPECT_EQ(batch.values<int64_t>(), (I64s{1, 2, 3, 4}));
  EXPECT_TRUE(after.pending());
  f.Put(5);
  EXPECT_EQ(after.value<int64_t>(), 5);
}

TEST(Queue, ABatchInMayExceedTheCapacity) {
  Fixture f(2);
  Answer in = f.PutMany({1, 2, 3, 4, 5});
  EXPECT_TRUE(in.pending());
  EXPECT_EQ(f.queue->size(), 2);
  for (int64_t i = 1; i <= 3; ++i) EXPECT_EQ(f.Get().value<int64_t>(), i);
  EXPECT_TRUE(in.status().ok());
  EXPECT_EQ(f.GetMany(2).values<int64_t>(), (I64s{4, 5}));
}

TEST(Queue, ABatchOutMayExceedTheCapacity) {
  Fixture f(2);
  Answer out = f.GetMany(5);
  EXPECT_TRUE(f.PutMany({1, 2, 3}).status().ok());
  EXPECT_TRUE(f.Put(4).status().ok());
  EXPECT_TRUE(out.pending());
  EXPECT_TRUE(f.Put(5).status().ok());
  EXPECT_EQ(out.values<int64_t>(), (I64s{1, 2, 3, 4, 5}));
}

TEST(Queue, CloseLetsDequeuesDrain) {
  Fixture f;
  f.PutMany({1, 2, 3});
  EXPECT_FALSE(f.queue->closed());
  f.queue->Close(false);
  EXPECT_TRUE(f.queue->closed());
  EXPECT_EQ(f.Get().value<int64_t>(), 1);
  ExpectError(f.GetMany(5).status(), Code::kOutOfRange,
              "queue \"q\" is closed and has insufficient elements (requested "
              "5, current size 2)");
  EXPECT_EQ(f.GetMany(2).values<int64_t>(), (I64s{2, 3}));
  ExpectError(f.Get().status(), Code::kOutOfRange,
              "(requested 1, current size 0)");
  f.queue->Close(false);  // once more changes nothing
}

TEST(Queue, CloseRefusesLaterEnqueues) {
  Fixture f;
  f.queue->Close(false);
  ExpectError(f.Put(1).status(), Code::kCancelled, "queue \"q\" is closed");
  ExpectError(f.PutMany({1, 2}).status(), Code::kCancelled, "is closed");
  EXPECT_EQ(f.queue->size(), 0);
}

TEST(Queue, CloseFailsDequeuesThatWait) {
  Fixture f;
  Answer one = f.Get(), many = f.GetMany(2);
  f.queue->Close(false);
  ExpectError(one.status(), Code::kOutOfRange, "insufficient elements");
  ExpectError(many.status(), Code::kOutOfRange, "insufficient elements");
}

TEST(Queue, EnqueuesThatWaitedBeforeTheCloseStillGoIn) {
  Fixture f(1);
  f.Put(1);
  Answer in = f.PutMany({2, 3, 4});
  f.queue->Close(false);
  EXPECT_TRUE(in.pending());
  EXPECT_EQ(f.GetMany(3).values<int64_t>(), (I64s{1, 2, 3}));
  EXPECT_TRUE(in.status().ok());
  EXPECT_EQ(f.Get().value<int64_t>(), 4);
  ExpectError(f.Get().status(), Code::kOutOfRange, "is closed");
}

TEST(Queue, CancelPendingFailsEnqueuesThatWait) {
  Fixture f(1);
  f.Put(1);
  Answer in = f.Put(2), more = f.PutMany({3, 4});
  f.queue->Close(true);
  ExpectError(in.status(), Code::kCancelled, "was cancelled");
  ExpectError(more.status(), Code::kCancelled, "was cancelled");
  EXPECT_EQ(f.Get().value<int64_t>(), 1);
  ExpectError(f.Get().status(), Code::kOutOfRange, "is closed");
}

TEST(Queue, ASecondCloseMayCancelWhatTheFirstLeft) {
  Fixture f(1);
  f.Put(1);
  Answer in = f.Put(2);
  f.queue->Close(false);
  EXPECT_TRUE(in.pending());
  f.queue->Close(true);
  ExpectError(in.status(), Code::kCancelled, "was cancelled");
}

TEST(Queue, ABlockedBatchGivesBackWhatItGatheredOnClose) {
  // Capacity 2, so that the waiting batch must take elements out early.
  Fixture f(2);
  Answer batch = f.GetMany(5);
  Answer next = f.GetMany(2);
  EXPECT_TRUE(f.PutMany({1, 2, 3, 4}).status().ok());
  f.queue->Close(false);
  ExpectError(batch.status(), Code::kOutOfRange,
              "(requested 5, current size 4)");
  EXPECT_EQ(next.values<int64_t>(), (I64s{1, 2}));
  EXPECT_EQ(f.queue->size(), 2);
  EXPECT_EQ(f.Get().value<int64_t>(), 3);
  EXPECT_EQ(f.Get().value<int64_t>(), 4);
}

TEST(Queue, UpToGivesTheRestAfterClose) {
  Fixture f;
  f.PutMany({1, 2, 3});
  Answer waiting = f.GetMany(5, true);
  EXPECT_TRUE(waiting.pending());
  f.queue->Close(false);
  EXPECT_EQ(waiting.values<int64_t>(), (I64s{1, 2, 3}));
  ExpectError(f.GetMany(5, true).status(), Code::kOutOfRange,
              "(requested 5, current size 0)");
}

TEST(Queue, UpToTakesNoMoreThanAsked) {
  Fixture f;
  f.PutMany({1, 2, 3});
  EXPECT_EQ(f.GetMany(2, true).values<int64_t>(), (I64s{1, 2}));
  f.queue->Close(false);
  EXPECT_EQ(f.GetMany(2, true).values<int64_t>(), (I64s{3}));
}

TEST(Queue, CancellingAStepEndsItsWaits) {
  Fixture f(1);
  Cancellation step;
  Answer out = f.Get(&step), others = f.Get();
  step.Cancel(Aborted("stop"));
  ExpectError(out.status(), Code::kCancelled,
              "dequeue on queue \"q\" was cancelled: stop");
  f.Put(1);
  EXPECT_EQ(others.value<int64_t>(), 1);

  f.Put(2);
  Cancellation second;
  Answer in = f.Put(3, &second);
  second.Cancel(Aborted("stop"));
  ExpectError(in.status(), Code::kCancelled, "enqueue on queue \"q\"");
  EXPECT_EQ(f.queue->size(), 1);
}

TEST(Queue, ACancelledStepDoesNotStartToWait) {
  Fixture f;
  Cancellation step;
  step.Cancel(Aborted("stop"));
  ExpectError(f.Get(&step).status(), Code::kCancelled, "stop");
  EXPECT_TRUE(f.Put(1).status().ok());
  EXPECT_EQ(f.Get().value<int64_t>(), 1);
}

TEST(Queue, ACancelledBatchGivesBackWhatItGathered) {
  Fixture f(2);
  Cancellation step;
  Answer batch = f.GetMany(5, false, &step), next = f.GetMany(4);
  f.PutMany({1, 2, 3, 4});
  step.Cancel(Aborted("stop"));
  ExpectError(batch.status(), Code::kCancelled, "stop");
  EXPECT_EQ(next.values<int64_t>(), (I64s{1, 2, 3, 4}));
}

TEST(Queue, ACancelledBatchInKeepsWhatIsInAlready) {
  Fixture f(2);
  Cancellation step;
  Answer in = f.PutMany({1, 2, 3}, &step);
  Answer behind = f.Put(9);
  step.Cancel(Aborted("stop"));
  ExpectError(in.status(), Code::kCancelled, "stop");
  EXPECT_EQ(f.GetMany(3).values<int64_t>(), (I64s{1, 2, 9}));
  EXPECT_TRUE(behind.status().ok());
}

TEST(Queue, CancellingAfterTheAnswerDoesNothing) {
  Fixture f;
  Cancellation step;
  Answer out = f.Get(&step);
  f.Put(1);
  EXPECT_EQ(out.value<int64_t>(), 1);
  step.Cancel(Aborted("late"));
  EXPECT_EQ(out.count(), 1);
}

TEST(Queue, WrongElementsAreRefusedAndChangeNothing) {
  Fixture f;
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
  Fixture f(spec);
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
  Fixture f;
  std::vector<int64_t> all(100000);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  Array batch = Array::Vector(std::span<const int64_t>(all));
  Answer in;
  f.queue->EnqueueMany({&batch, 1}, nullptr, in.reply());
  EXPECT_TRUE(f.GetMany(100000).out(0).BitEquals(batch));
}

TEST(Queue, DestroyingItAnswersThoseWhoWait) {
  Answer out;
  {
    Fixture f;
    out = f.Get();
  }
  ExpectError(out.status(), Code::kCancelled, "was cancelled");
}

TEST(ShuffleQueue, KeepsSomeBackUntilClosed) {
  QueueSpec spec = ScalarSpec(QueueOrder::kShuffle, 10);
  spec.min_after_dequeue = 2;
  Fixture f(spec);
  f.PutMany({1, 2});
  Answer one = f.Get();
  EXPECT_TRUE(one.pending());
  f.Put(3);
  EXPECT_TRUE(one.status().ok());
  Answer rest = f.GetMany(5, true);
  EXPECT_TRUE(rest.pending());
  f.queue->Close(false);
  I64s all = rest.values<int64_t>();
  all.push_back(one.value<int64_t>());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (I64s{1, 2, 3}));
}

TEST(ShuffleQueue, OrderIsFixedByTheSeedOrTheName) {
  auto order = [](const char* name, int64_t seed, uint64_t session) {
    QueueSpec spec = ScalarSpec(QueueOrder::kShuffle, -1);
    spec.seed = seed;
    Ref<Queue> queue = *Queue::Make(name, spec, session);
    std::vector<int64_t> numbers(50);
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<int64_t>(i);
    }
    Array batch = Array::Vector(std::span<const int64_t>(numbers));
    Answer in, out;
    queue->EnqueueMany({&batch, 1}, nullptr, in.reply());
    queue->DequeueMany(50, false, nullptr, out.reply());
    return out.values<int64_t>();
  };
  EXPECT_EQ(order("a", 7, 0), order("b", 7, 1));
  EXPECT_NE(order("a", 7, 0), order("a", 8, 0));
  EXPECT_EQ(order("a", 0, 3), order("a", 0, 3));
  EXPECT_NE(order("a", 0, 3), order("b", 0, 3));
  EXPECT_NE(order("a", 0, 3), order("a", 0, 4));
}

TEST(PaddingQueue, PadsABatchToItsLargest) {
  QueueSpec spec;
  spec.order = QueueOrder::kPadding;
  spec.tuple = {{DType::kI64}, {{kAny}}, {}};
  Fixture f(spec);
  for (int64_t n : {1, 3, 0, 2}) {
    std::vector<int64_t> v(static_cast<size_t>(n), n);
    Array a = Array::Vector(std::span<const int64_t>(v));
    Answer in;
    f.queue->Enqueue({&a, 1}, nullptr, in.reply());
    EXPECT_TRUE(in.status().ok());
  }
  EXPECT_EQ(f.Get().out(0).shape(), Shape({1}));  // one alone is not padded
  EXPECT_TRUE(f.GetMany(3).out(0).BitEquals(
      Array::Of<int64_t>({3, 3}, {3, 3, 3, 0, 0, 0, 2, 2, 0})));
}

TEST(PaddingQueue, ShapesMustFitWhereTheyAreKnown) {
  QueueSpec spec;
  spec.order = QueueOrder::kPadding;
  spec.tuple = {{DType::kI64}, {{kAny, 2}}, {}};
  Fixture f(spec);
  Array bad = Array::Zeros(DType::kI64, {4, 3});
  Answer in;
  f.queue->Enqueue({&bad, 1}, nullptr, in.reply());
  ExpectError(in.status(), Code::kInvalidArgument,
              "components[0] is i64[4,3]; wanted i64[?,2] as queue \"q\"");
}

TEST(PriorityQueue, SmallestFirstTiesInOrder) {
  QueueSpec spec;
  spec.order = QueueOrder::kPriority;
  spec.tuple = {{DType::kI64, DType::kString},
                {PartialShape::Scalar(), PartialShape::Scalar()},
                {}};
  Ref<Queue> queue = *Queue::Make("q", spec);
  Array batch[] = {Array::Vector<int64_t>({5, -1, 5, 0}),
                   Array::Vector<std::string>({"a", "b", "c", "d"})};
  Answer in, out;
  queue->EnqueueMany(batch, nullptr, in.reply());
  queue->DequeueMany(4, false, nullptr, out.reply());
  EXPECT_EQ(out.values<int64_t>(0), (I64s{-1, 0, 5, 5}));
  EXPECT_EQ(out.values<std::string>(1),
            (std::vector<std::string>{"b", "d", "a", "c"}));
  Array bad[] = {Array::Vector<int64_t>({1}), Array::Scalar(std::string("x"))};
  Answer refused;
  queue->Enqueue(bad, nullptr, refused.reply());
  ExpectError(refused.status(), Code::kInvalidArgument,
              "components[0] is i64[1]; wanted i64[]");
}

TEST(PriorityQueue, ABatchThatGatheredEarlyIsSortedAllTheSame) {
  Fixture f(ScalarSpec(QueueOrder::kPriority, 2));
  Answer out = f.GetMany(4);
  f.PutMany({3, 4, 1, 2});
  EXPECT_EQ(out.values<int64_t>(), (I64s{1, 2, 3, 4}));
}

TEST(QueueSpec, RefusesWhatCannotBe) {
  auto error = [](QueueSpec spec) { return spec.Check(); };
  QueueSpec spec = ScalarSpec(QueueOrder::kFifo, 0);
  ExpectError(error(spec), Code::kInvalidArgument, "capacity is 0");
  spec.capacity = -2;
  ExpectError(error(spec), Code::kInvalidArgument, "capacity is -2");
  spec = ScalarSpec(QueueOrder::kShuffle, 3);
  spec.min_after_dequeue = 3;
  ExpectError(error(spec), Code::kInvalidArgument,
              "min_after_dequeue is 3; wanted less than capacity");
  spec = ScalarSpec(QueueOrder::kPadding, 3);
  spec.tuple.shapes.clear();
  ExpectError(error(spec), Code::kInvalidArgument,
              "the rank of component 0 is not known");
  spec = ScalarSpec(QueueOrder::kPriority, 3);
  spec.tuple.dtypes[0] = DType::kI32;
  ExpectError(error(spec), Code::kInvalidArgument,
              "dtypes[0] is i32; wanted i64");
}

TEST(QueueSpec, PrintsEverythingThatWasAskedFor) {
  QueueSpec spec = ScalarSpec(QueueOrder::kShuffle, 3);
  spec.min_after_dequeue = 1;
  spec.seed = 5;
  EXPECT_EQ(spec.ToString(),
            "shuffle queue (i64[]) of capacity 3, min_after_dequeue 1, seed 5");
}

}  // namespace
}  // namespace sluice
