#include "sluice/state/variable.h"

#include <thread>

#include "sluice/state/state_test_util.h"

namespace sluice {
namespace {

Ref<Variable> Make(DType dtype, const PartialShape& shape) {
  return *Variable::Make("w", dtype, shape);
}

TEST(Variable, ReadBeforeAssignIsAnError) {
  Ref<Variable> v = Make(DType::kF32, {2});
  ExpectError(v->Read().status(), Code::kFailedPrecondition,
              "variable \"w\" is not initialised; run its initialiser first");
  ExpectError(v->Add(Array::Zeros(DType::kF32, {2})), Code::kFailedPrecondition,
              "not initialised");
  EXPECT_FALSE(v->initialized());
  EXPECT_EQ(v->version(), 0);
}

TEST(Variable, ReadSharesTheArray) {
  Ref<Variable> v = Make(DType::kF32, {2});
  Array value = Array::Vector<float>({1, 2});
  ASSERT_TRUE(v->Assign(value).ok());
  EXPECT_EQ(v->Read()->raw(), value.raw());
  EXPECT_EQ(v->Read()->raw(), v->Read()->raw());
  EXPECT_TRUE(v->initialized());
}

TEST(Variable, AssignCopiesBorrowedBytes) {
  Ref<Variable> v = Make(DType::kF32, {2});
  float bytes[2] = {1, 2};
  ASSERT_TRUE(v->Assign(Array::Borrow(bytes, DType::kF32, {2})).ok());
  bytes[0] = 9;
  EXPECT_TRUE(v->Read()->BitEquals(Array::Vector<float>({1, 2})));
}

TEST(Variable, EarlierReadersKeepTheirValue) {
  Ref<Variable> v = Make(DType::kF32, {2});
  ASSERT_TRUE(v->Assign(Array::Vector<float>({1, 2})).ok());
  Array before = *v->Read();
  ASSERT_TRUE(v->Add(Array::Vector<float>({1, 1})).ok());
  EXPECT_TRUE(before.BitEquals(Array::Vector<float>({1, 2})));
  EXPECT_TRUE(v->Read()->BitEquals(Array::Vector<float>({2, 3})));
  ASSERT_TRUE(v->Subtract(Array::Vector<float>({2, 2})).ok());
  EXPECT_TRUE(v->Read()->BitEquals(Array::Vector<float>({0, 1})));
  EXPECT_EQ(v->version(), 3);
}

TEST(Variable, UpdatesInPlaceWhenNobodyReads) {
  Ref<Variable> v = Make(DType::kF32, {1000});
  ASSERT_TRUE(v->Assign(Array::Zeros(DType::kF32, {1000})).ok());
  const void* where = v->Read()->raw();
  ASSERT_TRUE(v->Add(Array::Zeros(DType::kF32, {1000})).ok());
  EXPECT_EQ(v->Read()->raw(), where);
}

TEST(Variable, WrongValuesAreRefusedAndChangeNothing) {
  Ref<Variable> v = Make(DType::kF32, {2});
  ASSERT_TRUE(v->Assign(Array::Vector<float>({1, 2})).ok());
  ExpectError(v->Assign(Array::Zeros(DType::kF32, {3})), Code::kInvalidArgument,
              "value is f32[3]; wanted f32[2] as variable \"w\"");
  ExpectError(v->Assign(Array::Zeros(DType::kF64, {2})), Code::kInvalidArgument,
              "value is f64[2]; wanted f32[2]");
  ExpectError(v->Add(Array::Zeros(DType::kF32, {})), Code::kInvalidArgument,
              "value is f32[]; wanted f32[2]");
  EXPECT_TRUE(v->Read()->BitEquals(Array::Vector<float>({1, 2})));
  EXPECT_EQ(v->version(), 1);
}

TEST(Variable, UnknownSizesMayChangeByAssignmentOnly) {
  Ref<Variable> v = Make(DType::kF32, {kUnknownDim});
  ASSERT_TRUE(v->Assign(Array::Zeros(DType::kF32, {3})).ok());
  ExpectError(v->Add(Array::Zeros(DType::kF32, {2})), Code::kInvalidArgument,
              "value is f32[2]; wanted f32[3]");
  ASSERT_TRUE(v->Assign(Array::Zeros(DType::kF32, {2})).ok());
  EXPECT_TRUE(v->Add(Array::Zeros(DType::kF32, {2})).ok());
  EXPECT_FALSE(v->Assign(Array::Zeros(DType::kF32, {2, 2})).ok());
}

TEST(Variable, StringsAreAssignedButNotAdded) {
  Ref<Variable> v = Make(DType::kString, PartialShape::Scalar());
  ASSERT_TRUE(v->Assign(Array::Scalar(std::string("a"))).ok());
  ExpectError(v->Add(Array::Scalar(std::string("b"))), Code::kInvalidArgument,
              "variable \"w\" is string; wanted one of");
  EXPECT_EQ(v->Read()->data<std::string>()[0], "a");
}

TEST(Variable, RefusesTypesWithoutElements) {
  EXPECT_FALSE(Variable::Make("w", DType::kResource, {}).ok());
  EXPECT_FALSE(Variable::Make("w", DType::kInvalid, {}).ok());
}

// Readers come and go meanwhile, so both kinds of update occur.
TEST(Variable, ConcurrentAdditionsLoseNothing) {
  constexpr int kThreads = 4, kAdds = 2000;
  Ref<Variable> v = Make(DType::kI64, {3});
  ASSERT_TRUE(v->Assign(Array::Zeros(DType::kI64, {3})).ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Array one = Array::Vector<int64_t>({1, 1, 1});
      for (int i = 0; i < kAdds; ++i) {
        EXPECT_TRUE((t == 0 ? v->Subtract(one) : v->Add(one)).ok());
        Array seen = *v->Read();
        // An update is visible completely or not at all.
        EXPECT_EQ(seen.data<int64_t>()[0], seen.data<int64_t>()[2]);
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(v->Read()->data<int64_t>()[1], (kThreads - 2) * kAdds);
  EXPECT_EQ(v->version(), kThreads * kAdds + 1);
}

}  // namespace
}  // namespace sluice
