#include "sluice/state/hash_table.h"

#include <map>
#include <random>
#include <thread>

#include "sluice/state/state_test_util.h"

namespace sluice {
namespace {

Ref<HashTable> Make(DType key, DType value,
                    PartialShape shape = PartialShape::Scalar()) {
  return *HashTable::Make("t", {key, value, shape});
}

Result<Array> Find(const HashTable& t, const Array& keys,
                   const Array& fallback) {
  std::vector<int64_t> dims(keys.shape().dims().begin(),
                            keys.shape().dims().end());
  for (int64_t d : fallback.shape().dims()) dims.push_back(d);
  Array out = *Array::Make(fallback.dtype(), *Shape::Make(dims));
  SL_RETURN_IF_ERROR(t.Find(keys, fallback, out));
  return out;
}

using Strings = std::initializer_list<std::string>;

TEST(HashTable, FindsWhatWasInserted) {
  Ref<HashTable> t = Make(DType::kI64, DType::kF32);
  ASSERT_TRUE(
      t->Insert(Array::Vector<int64_t>({1, 2}), Array::Vector<float>({10, 20}))
          .ok());
  EXPECT_EQ(t->size(), 2);
  EXPECT_TRUE(Find(*t, Array::Vector<int64_t>({2, 3, 1}), Array::Scalar(-1.0f))
                  ->BitEquals(Array::Vector<float>({20, -1, 10})));
  EXPECT_TRUE(Find(*t, Array::Scalar<int64_t>(2), Array::Scalar(-1.0f))
                  ->BitEquals(Array::Scalar(20.0f)));
}

TEST(HashTable, LaterValuesWin) {
  Ref<HashTable> t = Make(DType::kI32, DType::kI32);
  ASSERT_TRUE(
      t->Insert(Array::Vector<int32_t>({7, 7}), Array::Vector<int32_t>({1, 2}))
          .ok());
  EXPECT_EQ(t->size(), 1);
  ASSERT_TRUE(
      t->Insert(Array::Scalar<int32_t>(7), Array::Scalar<int32_t>(3)).ok());
  EXPECT_TRUE(Find(*t, Array::Scalar<int32_t>(7), Array::Scalar<int32_t>(0))
                  ->BitEquals(Array::Scalar<int32_t>(3)));
}

TEST(HashTable, StringsBothWays) {
  Ref<HashTable> t = Make(DType::kString, DType::kString, {2});
  ASSERT_TRUE(
      t->Insert(Array::Vector<std::string>(Strings{"b", "a"}),
                Array::Of<std::string>({2, 2}, {"b0", "b1", "a0", "a1"}))
          .ok());
  EXPECT_TRUE(
      Find(*t, Array::Vector<std::string>(Strings{"a", "z"}),
           Array::Vector<std::string>(Strings{"?", "!"}))
          ->BitEquals(Array::Of<std::string>({2, 2}, {"a0", "a1", "?", "!"})));
  auto all = *t->Export();
  EXPECT_TRUE(
      all.first.BitEquals(Array::Vector<std::string>(Strings{"a", "b"})));
  EXPECT_TRUE(all.second.BitEquals(
      Array::Of<std::string>({2, 2}, {"a0", "a1", "b0", "b1"})));
}

TEST(HashTable, ErasesAndReusesPlaces) {
  Ref<HashTable> t = Make(DType::kI64, DType::kI64, {2});
  ASSERT_TRUE(t->Insert(Array::Vector<int64_t>({1, 2, 3}),
                        Array::Of<int64_t>({3, 2}, {1, 1, 2, 2, 3, 3}))
                  .ok());
  ASSERT_TRUE(t->Erase(Array::Vector<int64_t>({2, 9, 2})).ok());
  EXPECT_EQ(t->size(), 2);
  ASSERT_TRUE(
      t->Insert(Array::Vector<int64_t>({0}), Array::Of<int64_t>({1, 2}, {7, 8}))
          .ok());
  auto all = *t->Export();
  EXPECT_TRUE(all.first.BitEquals(Array::Vector<int64_t>({0, 1, 3})));
  EXPECT_TRUE(
      all.second.BitEquals(Array::Of<int64_t>({3, 2}, {7, 8, 1, 1, 3, 3})));
}

TEST(HashTable, ExportsAnEmptyTable) {
  auto all = *Make(DType::kI64, DType::kF32, {3})->Export();
  EXPECT_EQ(all.first.shape(), Shape({0}));
  EXPECT_EQ(all.second.shape(), Shape({0, 3}));
}

TEST(HashTable, ValuesMayHaveNoElements) {
  Ref<HashTable> t = Make(DType::kI64, DType::kF32, {0});
  ASSERT_TRUE(
      t->Insert(Array::Vector<int64_t>({4}), Array::Zeros(DType::kF32, {1, 0}))
          .ok());
  EXPECT_EQ(t->size(), 1);
  EXPECT_EQ(t->Export()->second.shape(), Shape({1, 0}));
}

TEST(HashTable, WrongArraysAreRefusedAndChangeNothing) {
  Ref<HashTable> t = Make(DType::kI64, DType::kF32, {2});
  ExpectError(
      t->Insert(Array::Vector<int32_t>({1}), Array::Zeros(DType::kF32, {1, 2})),
      Code::kInvalidArgument, "keys is i32[1]; wanted i64 as table \"t\"");
  ExpectError(
      t->Insert(Array::Vector<int64_t>({1}), Array::Zeros(DType::kF32, {1})),
      Code::kInvalidArgument,
      "values is f32[1]; wanted f32[1,2] for keys [1] of table \"t\"");
  ExpectError(
      t->Insert(Array::Vector<int64_t>({1}), Array::Zeros(DType::kF64, {1, 2})),
      Code::kInvalidArgument, "values is f64[1,2]");
  ExpectError(
      Find(*t, Array::Vector<int64_t>({1}), Array::Scalar(0.0f)).status(),
      Code::kInvalidArgument, "default is f32[]; wanted f32[2]");
  ExpectError(t->Erase(Array::Vector<float>({1})), Code::kInvalidArgument,
              "keys is f32[1]");
  // A key shape that leaves no axis for the value.
  ExpectError(t->Insert(Array::Zeros(DType::kI64, {1, 1, 1, 1, 1, 1, 1, 1}),
                        Array::Zeros(DType::kF32, {1, 2})),
              Code::kInvalidArgument, "rank");
  EXPECT_EQ(t->size(), 0);
}

TEST(HashTable, RefusesWhatCannotBe) {
  EXPECT_FALSE(HashTable::Make("t", {DType::kF32, DType::kF32, {2}}).ok());
  EXPECT_FALSE(HashTable::Make("t", {DType::kI64, DType::kResource, {2}}).ok());
  EXPECT_FALSE(HashTable::Make("t", {DType::kI64, DType::kF32, {}}).ok());
  EXPECT_FALSE(
      HashTable::Make("t", {DType::kI64, DType::kF32, {kUnknownDim}}).ok());
}

TEST(HashTable, AgreesWithAMap) {
  Ref<HashTable> t = Make(DType::kI64, DType::kI64);
  std::map<int64_t, int64_t> model;
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    int64_t key = static_cast<int64_t>(random() % 50) - 25;
    Array k = Array::Scalar(key);
    if (random() % 3 == 0) {
      ASSERT_TRUE(t->Erase(k).ok());
      model.erase(key);
    } else {
      ASSERT_TRUE(t->Insert(k, Array::Scalar<int64_t>(i)).ok());
      model[key] = i;
    }
  }
  auto all = *t->Export();
  ASSERT_EQ(all.first.dim(0), static_cast<int64_t>(model.size()));
  int64_t at = 0;
  for (auto [key, value] : model) {
    EXPECT_EQ(all.first.data<int64_t>()[at], key);
    EXPECT_EQ(all.second.data<int64_t>()[at++], value);
  }
}

TEST(HashTable, ConcurrentInsertsAllCount) {
  constexpr int64_t kThreads = 4, kEach = 500;
  Ref<HashTable> t = Make(DType::kI64, DType::kI64);
  std::vector<std::thread> threads;
  for (int64_t n = 0; n < kThreads; ++n) {
    threads.emplace_back([&, n] {
      for (int64_t i = 0; i < kEach; ++i) {
        Array key = Array::Scalar(n * kEach + i);
        EXPECT_TRUE(t->Insert(key, key).ok());
        EXPECT_TRUE(Find(*t, key, Array::Scalar<int64_t>(-1))->BitEquals(key));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(t->size(), kThreads * kEach);
}

}  // namespace
}  // namespace sluice
