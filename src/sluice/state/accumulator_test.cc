#include "sluice/state/accumulator.h"

#include <thread>

#include "sluice/state/state_test_util.h"

namespace sluice {
namespace {

Ref<Accumulator> Make(
    DType dtype, const PartialShape& shape,
    AccumulatorReduction reduction = AccumulatorReduction::kMean) {
  return *Accumulator::Make("g", dtype, shape, reduction);
}

Answer Take(Accumulator& a, int64_t n, Cancellation* c = nullptr) {
  Answer answer;
  a.Take(n, c, answer.reply());
  return answer;
}

TEST(Accumulator, GivesTheMeanOfAllItHas) {
  Ref<Accumulator> a = Make(DType::kF32, {2});
  ASSERT_TRUE(a->Apply(0, Array::Vector<float>({1, 2})).ok());
  ASSERT_TRUE(a->Apply(0, Array::Vector<float>({3, 4})).ok());
  ASSERT_TRUE(a->Apply(0, Array::Vector<float>({5, 9})).ok());
  EXPECT_EQ(a->count(), 3);
  EXPECT_TRUE(Take(*a, 2).out(0).BitEquals(Array::Vector<float>({3, 5})));
  EXPECT_EQ(a->count(), 0);
  EXPECT_EQ(a->step(), 1);
}

TEST(Accumulator, GivesTheSum) {
  Ref<Accumulator> a =
      Make(DType::kI32, PartialShape::Scalar(), AccumulatorReduction::kSum);
  ASSERT_TRUE(a->Apply(0, Array::Scalar<int32_t>(2)).ok());
  ASSERT_TRUE(a->Apply(0, Array::Scalar<int32_t>(5)).ok());
  EXPECT_EQ(Take(*a, 1).value<int32_t>(), 7);
}

TEST(Accumulator, LeavesTheGivenGradientAlone) {
  Ref<Accumulator> a = Make(DType::kF32, {1});
  Array g = Array::Vector<float>({1});
  ASSERT_TRUE(a->Apply(0, g).ok());
  ASSERT_TRUE(a->Apply(0, Array::Vector<float>({2})).ok());
  EXPECT_EQ(g.data<float>()[0], 1);
}

TEST(Accumulator, TakeWaits) {
  Ref<Accumulator> a = Make(DType::kF32, PartialShape::Scalar());
  Answer first = Take(*a, 2), second = Take(*a, 1);
  ASSERT_TRUE(a->Apply(0, Array::Scalar(1.0f)).ok());
  EXPECT_TRUE(first.pending());
  // The second comes after the first, although it needs fewer.
  EXPECT_TRUE(second.pending());
  ASSERT_TRUE(a->Apply(0, Array::Scalar(3.0f)).ok());
  EXPECT_EQ(first.value<float>(), 2);
  EXPECT_TRUE(second.pending());
  ASSERT_TRUE(a->Apply(1, Array::Scalar(8.0f)).ok());
  EXPECT_EQ(second.value<float>(), 8);
}

TEST(Accumulator, DropsStaleGradients) {
  Ref<Accumulator> a = Make(DType::kF32, PartialShape::Scalar());
  ASSERT_TRUE(a->Apply(0, Array::Scalar(1.0f)).ok());
  EXPECT_EQ(Take(*a, 1).value<float>(), 1);
  ASSERT_TRUE(a->Apply(0, Array::Scalar(100.0f)).ok());  // for step 0: dropped
  EXPECT_EQ(a->count(), 0);
  ASSERT_TRUE(a->Apply(1, Array::Scalar(5.0f)).ok());
  EXPECT_EQ(a->count(), 1);
  a->SetStep(7);
  EXPECT_EQ(a->step(), 7);
  ASSERT_TRUE(a->Apply(6, Array::Scalar(100.0f)).ok());
  ASSERT_TRUE(a->Apply(9, Array::Scalar(7.0f)).ok());
  EXPECT_EQ(Take(*a, 2).value<float>(), 6);
  EXPECT_EQ(a->step(), 8);
}

TEST(Accumulator, HalfTypesAreSummedInFull) {
  Ref<Accumulator> a =
      Make(DType::kBF16, PartialShape::Scalar(), AccumulatorReduction::kSum);
  // In bf16 itself 256 + 1 is 256, and the sum would stop growing there.
  ASSERT_TRUE(a->Apply(0, Array::Scalar(bf16(256))).ok());
  for (int i = 0; i < 256; ++i) {
    ASSERT_TRUE(a->Apply(0, Array::Scalar(bf16(1))).ok());
  }
  Array sum = Take(*a, 1).out(0);
  EXPECT_EQ(sum.dtype(), DType::kBF16);
  EXPECT_EQ(static_cast<float>(sum.data<bf16>()[0]), 512);
}

TEST(Accumulator, WrongGradientsAreRefusedAndChangeNothing) {
  Ref<Accumulator> a = Make(DType::kF32, {kUnknownDim});
  ExpectError(a->Apply(0, Array::Zeros(DType::kF64, {2})),
              Code::kInvalidArgument,
              "gradient is f64[2]; wanted f32[?] as accumulator \"g\"");
  ASSERT_TRUE(a->Apply(0, Array::Zeros(DType::kF32, {2})).ok());
  ExpectError(a->Apply(0, Array::Zeros(DType::kF32, {3})),
              Code::kInvalidArgument, "gradient is f32[3]; wanted f32[2]");
  EXPECT_EQ(a->count(), 1);
  ExpectError(Take(*a, 0).status(), Code::kInvalidArgument,
              "num_required is 0; wanted 1 or more");
  EXPECT_FALSE(
      Accumulator::Make("g", DType::kString, {}, AccumulatorReduction::kSum)
          .ok());
}

TEST(Accumulator, CancellingAStepEndsItsTake) {
  Ref<Accumulator> a = Make(DType::kF32, PartialShape::Scalar());
  Cancellation step;
  Answer first = Take(*a, 2, &step), second = Take(*a, 1);
  ASSERT_TRUE(a->Apply(0, Array::Scalar(4.0f)).ok());
  step.Cancel(Aborted("stop"));
  ExpectError(first.status(), Code::kCancelled,
              "take from accumulator \"g\" was cancelled: stop");
  EXPECT_EQ(second.value<float>(), 4);  // the next one in line proceeds
}

TEST(Accumulator, EveryGradientCountsOnceUnderThreads) {
  constexpr int kThreads = 3, kRounds = 200;
  Ref<Accumulator> a =
      Make(DType::kI64, PartialShape::Scalar(), AccumulatorReduction::kSum);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i) {
        // A step far ahead: never stale.
        EXPECT_TRUE(a->Apply(1 << 20, Array::Scalar<int64_t>(1)).ok());
      }
    });
  }
  int64_t total = 0;
  while (total < kThreads * kRounds) {
    Answer answer = Take(*a, 1);
    answer.Wait();
    total += answer.value<int64_t>();
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(total, kThreads * kRounds);
  EXPECT_EQ(a->count(), 0);
}

}  // namespace
}  // namespace sluice
