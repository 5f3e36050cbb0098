// Shuffle, padding and priority queues.
#include <algorithm>

#include "sluice/state/queue_test_util.h"

namespace sluice {
namespace {

constexpr int64_t kAny = kUnknownDim;

TEST(ShuffleQueue, KeepsSomeBackUntilClosed) {
  QueueSpec spec = ScalarSpec(QueueOrder::kShuffle, 10);
  spec.min_after_dequeue = 2;
  QueueFixture f(spec);
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
  QueueFixture f(spec);
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
  QueueFixture f(spec);
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
  QueueFixture f(ScalarSpec(QueueOrder::kPriority, 2));
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
