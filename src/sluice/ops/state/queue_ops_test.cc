#include <thread>

#include "sluice/ops/state/state_ops_test_util.h"

namespace sluice {
namespace {

using DTypes = std::vector<DType>;
using Shapes = std::vector<PartialShape>;
using I64s = std::vector<int64_t>;

const Attrs kI64{{"dtypes", DTypes{DType::kI64}}};
const Attrs kScalars{{"dtypes", DTypes{DType::kI64}},
                     {"shapes", Shapes{PartialShape::Scalar()}}};

class QueueOps : public StateOps {
 protected:
  Array Fifo(int64_t capacity) {
    Attrs attrs = kScalars;
    attrs.set("capacity", capacity);
    return Handle("FifoQueue", attrs, "q");
  }
  static Array I(int64_t v) { return Array::Scalar(v); }
  int64_t Size(const Array& q) {
    return (*Run("QueueSize", {q}))[0].data<int64_t>()[0];
  }
};

TEST_F(QueueOps, InAndOut) {
  Array q = Fifo(3);
  ASSERT_TRUE(Run("Enqueue", {q, I(1)}).ok());
  ASSERT_TRUE(Run("EnqueueMany", {q, Array::Vector<int64_t>({2, 3})}).ok());
  EXPECT_EQ(Size(q), 3);
  EXPECT_EQ((*Run("Dequeue", {q}, kI64))[0].data<int64_t>()[0], 1);
  EXPECT_TRUE((*Run("DequeueMany", {q, I(2)}, kI64))[0].BitEquals(
      Array::Vector<int64_t>({2, 3})));
  EXPECT_EQ(Size(q), 0);
}

TEST_F(QueueOps, WaitWithoutAThread) {
  Array q = Fifo(1);
  AsyncCall out = Start("Dequeue", {q}, kI64);
  EXPECT_TRUE(out->pending());
  ASSERT_TRUE(Run("Enqueue", {q, I(5)}).ok());
  EXPECT_EQ(out->value<int64_t>(), 5);
  ASSERT_TRUE(Run("Enqueue", {q, I(6)}).ok());
  AsyncCall in = Start("Enqueue", {q, I(7)});
  EXPECT_TRUE(in->pending());
  ASSERT_TRUE(Run("Dequeue", {q}, kI64).ok());
  EXPECT_TRUE(in->status().ok());
}

TEST_F(QueueOps, CloseAndTheErrorsAfterwards) {
  Array q = Fifo(-1);
  ASSERT_TRUE(Run("EnqueueMany", {q, Array::Vector<int64_t>({1, 2})}).ok());
  AsyncCall five = Start("DequeueMany", {q, I(5)}, kI64);
  EXPECT_FALSE((*Run("QueueIsClosed", {q}))[0].data<bool>()[0]);
  ASSERT_TRUE(Run("QueueClose", {q}).ok());
  EXPECT_TRUE((*Run("QueueIsClosed", {q}))[0].data<bool>()[0]);
  ExpectError(five->status(), Code::kOutOfRange,
              "[DequeueMany] queue \"q\" is closed and has insufficient "
              "elements (requested 5, current size 2)");
  ExpectError(RunStatus("Enqueue", {q, I(3)}), Code::kCancelled,
              "[Enqueue] queue \"q\" is closed");
  Array rest = (*Run("DequeueUpTo", {q, Array::Scalar<int32_t>(5)}, kI64))[0];
  EXPECT_TRUE(rest.BitEquals(Array::Vector<int64_t>({1, 2})));
  ExpectError(RunStatus("Dequeue", {q}, kI64), Code::kOutOfRange,
              "[Dequeue] queue \"q\" is closed");
}

TEST_F(QueueOps, CancelPending) {
  Array q = Fifo(1);
  ASSERT_TRUE(Run("Enqueue", {q, I(1)}).ok());
  AsyncCall in = Start("Enqueue", {q, I(2)});
  ASSERT_TRUE(Run("QueueClose", {q}, {{"cancel_pending", true}}).ok());
  ExpectError(in->status(), Code::kCancelled,
              "[Enqueue] enqueue was cancelled");
}

TEST_F(QueueOps, CancellingTheStepUnblocksItAndTheQueueIsUsableAgain) {
  Array q = Fifo(1);
  AsyncCall out = Start("Dequeue", {q}, kI64);
  AsyncCall many = Start("DequeueMany", {q, I(3)}, kI64);
  cancellation_.Cancel(DeadlineExceeded("the step took too long"));
  ExpectError(out->status(), Code::kCancelled,
              "[Dequeue] dequeue on queue \"q\" was cancelled: the step took "
              "too long");
  EXPECT_EQ(many->count(), 1);
  Cancellation next;
  step_.cancellation = &next;
  ASSERT_TRUE(Run("Enqueue", {q, I(1)}).ok());
  EXPECT_EQ((*Run("Dequeue", {q}, kI64))[0].data<int64_t>()[0], 1);
}

TEST_F(QueueOps, WrongInputsLeaveTheQueueAlone) {
  Array q = Fifo(-1);
  ASSERT_TRUE(Run("Enqueue", {q, I(1)}).ok());
  ExpectError(RunStatus("Enqueue", {q, Array::Scalar(1.0f)}),
              Code::kInvalidArgument,
              "[Enqueue] components[0] is f32[]; wanted i64[] as queue \"q\"");
  ExpectError(RunStatus("Enqueue", {q}), Code::kInvalidArgument,
              "[Enqueue] got 0 components; wanted 1");
  ExpectError(RunStatus("EnqueueMany", {q, I(1)}), Code::kInvalidArgument,
              "[EnqueueMany] components[0] is i64[]; wanted a batch");
  ExpectError(RunStatus("Dequeue", {q}, {{"dtypes", DTypes{DType::kF32}}}),
              Code::kInvalidArgument,
              "[Dequeue] the attributes say (f32[...]); wanted (i64[]) as "
              "queue \"q\"");
  ExpectError(
      RunStatus("Dequeue", {q}, {{"dtypes", DTypes{DType::kI64, DType::kI64}}}),
      Code::kInvalidArgument, "wanted (i64[])");
  ExpectError(RunStatus("Dequeue", {q},
                        {{"dtypes", DTypes{DType::kI64}},
                         {"shapes", Shapes{PartialShape({2})}}}),
              Code::kInvalidArgument,
              "the attributes say (i64[2]); wanted (i64[])");
  ExpectError(RunStatus("DequeueMany", {q, I(-1)}, kI64),
              Code::kInvalidArgument, "[DequeueMany] n is -1");
  ExpectError(RunStatus("DequeueMany", {q, Array::Vector<int64_t>({1})}, kI64),
              Code::kInvalidArgument,
              "[DequeueMany] n is i64[1]; wanted an i32 or i64 scalar");
  EXPECT_EQ(Size(q), 1);
}

TEST_F(QueueOps, SharedNamesNeedEqualSignatures) {
  Array q = Fifo(3);
  EXPECT_EQ(Fifo(3).handle(), q.handle());
  Attrs larger = kScalars;
  larger.set("capacity", 4);
  ExpectError(RunStatus("FifoQueue", {}, larger, "q"), Code::kInvalidArgument,
              "[FifoQueue] \"q\" is there already as a fifo queue (i64[]) of "
              "capacity 3; wanted a fifo queue (i64[]) of capacity 4");
  ExpectError(RunStatus("PaddingQueue", {}, kScalars, "q"),
              Code::kInvalidArgument, "wanted a padding queue (i64[])");
  Attrs seeded = kScalars;
  seeded.set("seed", 1);
  Handle("ShuffleQueue", seeded, "s");
  seeded.set("seed", 2);
  ExpectError(RunStatus("ShuffleQueue", {}, seeded, "s"),
              Code::kInvalidArgument, "seed 1; wanted");
}

TEST_F(QueueOps, ShuffleQueueFollowsItsSeed) {
  auto order = [&](const char* name, int64_t seed) {
    Attrs attrs = kScalars;
    attrs.set("seed", seed);
    Array q = Handle("ShuffleQueue", attrs, name);
    std::vector<int64_t> v(30);
    for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<int64_t>(i);
    EXPECT_TRUE(
        Run("EnqueueMany", {q, Array::Vector(std::span<const int64_t>(v))})
            .ok());
    Array out = (*Run("DequeueMany", {q, I(30)}, kI64))[0];
    return I64s(out.data<int64_t>(), out.data<int64_t>() + 30);
  };
  EXPECT_EQ(order("a", 1), order("b", 1));
  EXPECT_NE(order("c", 0), order("d", 0));
}

TEST_F(QueueOps, PaddingQueuePads) {
  Attrs attrs{{"dtypes", DTypes{DType::kI64}},
              {"shapes", Shapes{PartialShape({kUnknownDim})}}};
  Array q = Handle("PaddingQueue", attrs, "p");
  ASSERT_TRUE(Run("Enqueue", {q, Array::Vector<int64_t>({1})}).ok());
  ASSERT_TRUE(Run("Enqueue", {q, Array::Vector<int64_t>({2, 3})}).ok());
  EXPECT_TRUE((*Run("DequeueMany", {q, I(2)}, attrs))[0].BitEquals(
      Array::Of<int64_t>({2, 2}, {1, 0, 2, 3})));
}

TEST_F(QueueOps, PriorityQueueSorts) {
  Attrs attrs{
      {"dtypes", DTypes{DType::kI64, DType::kString}},
      {"shapes", Shapes{PartialShape::Scalar(), PartialShape::Scalar()}}};
  Array q = Handle("PriorityQueue", attrs, "p");
  Attrs out{{"dtypes", DTypes{DType::kI64, DType::kString}}};
  ASSERT_TRUE(Run("Enqueue", {q, I(2), Array::Scalar(std::string("b"))}).ok());
  ASSERT_TRUE(Run("Enqueue", {q, I(1), Array::Scalar(std::string("a"))}).ok());
  EXPECT_EQ((*Run("Dequeue", {q}, out))[1].data<std::string>()[0], "a");
}

TEST_F(QueueOps, Shapes) {
  const DType r = DType::kResource;
  Attrs two{{"dtypes", DTypes{DType::kF32}},
            {"shapes", std::vector<PartialShape>{{2, kUnknownDim}}}};
  EXPECT_EQ(ShapeOf("Dequeue", {r}, {{}}, two), "[2,?]");
  EXPECT_EQ(ShapeOf("Dequeue", {r}, {{}}, kI64), "[...]");
  std::vector<PartialShape> in{PartialShape::Scalar(), PartialShape::Scalar()};
  EXPECT_EQ(ShapeOf("DequeueMany", {r, DType::kI64}, in, two), "[?,2,?]");
  Array five = I(5), minus = I(-5);
  EXPECT_EQ(ShapeOf("DequeueMany", {r, DType::kI64}, in, two, {nullptr, &five}),
            "[5,2,?]");
  EXPECT_EQ(ShapeOf("DequeueUpTo", {r, DType::kI64}, in, two, {nullptr, &five}),
            "[?,2,?]");
  EXPECT_EQ(
      ShapeOf("DequeueMany", {r, DType::kI64}, in, two, {nullptr, &minus}),
      "[DequeueMany] n is -5; wanted 0 or more");
  two.set("shapes", std::vector<PartialShape>{{2}, {3}});
  EXPECT_EQ(ShapeOf("Dequeue", {r}, {{}}, two),
            "[Dequeue] shapes has 2 entries; wanted none or 1, as dtypes");
}

TEST_F(QueueOps, ProducersAndConsumersAsSteps) {
  constexpr int64_t kEach = 300;
  Array q = Fifo(2);
  std::thread producer([&] {
    for (int64_t i = 0; i < kEach; ++i) {
      EXPECT_TRUE(Run("Enqueue", {q, I(i)}).ok());
    }
    EXPECT_TRUE(Run("QueueClose", {q}).ok());
  });
  int64_t n = 0;
  for (;; ++n) {
    auto out = Run("Dequeue", {q}, kI64);
    if (!out.ok()) {
      EXPECT_EQ(out.status().code(), Code::kOutOfRange);
      break;
    }
    EXPECT_EQ((*out)[0].data<int64_t>()[0], n);
  }
  producer.join();
  EXPECT_EQ(n, kEach);
}

}  // namespace
}  // namespace sluice
