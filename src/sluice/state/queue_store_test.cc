#include "sluice/state/queue_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace sluice {
namespace {

Element Of(int64_t v, uint64_t sequence = 0) {
  return {{Array::Scalar<int64_t>(v)}, sequence};
}

int64_t Value(const Element& e) { return e.parts[0].data<int64_t>()[0]; }

std::vector<int64_t> Drain(QueueStore& store) {
  std::vector<int64_t> out;
  while (store.size() > 0) out.push_back(Value(store.Pop()));
  return out;
}

std::vector<int64_t> Shuffled(uint64_t seed, int64_t n) {
  auto store = MakeShuffleStore(0, seed);
  for (int64_t i = 0; i < n; ++i) store->Push(Of(i));
  return Drain(*store);
}

using Values = std::vector<int64_t>;

TEST(FifoStore, KeepsTheOrder) {
  auto store = MakeFifoStore();
  for (int64_t i = 0; i < 4; ++i) store->Push(Of(i));
  std::vector<Element> two;
  two.push_back(store->Pop());
  two.push_back(store->Pop());
  store->PutBack(std::move(two));
  EXPECT_EQ(store->ready(false), 4);
  EXPECT_EQ(Drain(*store), (Values{0, 1, 2, 3}));
}

TEST(ShuffleStore, IsAPermutationFixedByTheSeed) {
  std::vector<int64_t> a = Shuffled(1, 100), b = Shuffled(1, 100),
                       c = Shuffled(2, 100);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  std::vector<int64_t> all(100);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_NE(a, all);
  std::sort(a.begin(), a.end());
  EXPECT_EQ(a, all);
}

// Each of n elements comes first about equally often. The seeds are fixed, so
// the counts are too.
TEST(ShuffleStore, FavoursNobody) {
  constexpr int kElements = 8, kRounds = 8000;
  int first[kElements] = {};
  for (int seed = 0; seed < kRounds; ++seed) {
    ++first[Shuffled(static_cast<uint64_t>(seed), kElements)[0]];
  }
  for (int count : first) {
    EXPECT_GT(count, 850);
    EXPECT_LT(count, 1150);
  }
}

TEST(ShuffleStore, KeepsSomeBackUntilDrained) {
  auto store = MakeShuffleStore(3, 1);
  for (int64_t i = 0; i < 2; ++i) store->Push(Of(i));
  EXPECT_EQ(store->ready(false), 0);
  for (int64_t i = 2; i < 5; ++i) store->Push(Of(i));
  EXPECT_EQ(store->ready(false), 2);
  EXPECT_EQ(store->ready(true), 5);
}

TEST(PriorityStore, SmallestFirstTiesInOrder) {
  auto store = MakePriorityStore();
  auto push = [&](int64_t priority, uint64_t sequence) {
    store->Push({{Array::Scalar(priority),
                  Array::Scalar(static_cast<int64_t>(sequence))},
                 sequence});
  };
  push(5, 0);
  push(-1, 1);
  push(5, 2);
  push(5, 3);
  push(0, 4);
  auto order = [&] {
    Values out;
    while (store->size() > 0) {
      out.push_back(store->Pop().parts[1].data<int64_t>()[0]);
    }
    return out;
  };
  std::vector<Element> two;
  two.push_back(store->Pop());
  two.push_back(store->Pop());
  store->PutBack(std::move(two));
  EXPECT_EQ(order(), (Values{1, 4, 0, 2, 3}));
}

TEST(PriorityStore, ArrangesWhatWasTakenAtDifferentTimes) {
  auto store = MakePriorityStore();
  std::vector<Element> taken;
  for (int64_t p : {3, 1, 2}) taken.push_back(Of(p));
  store->Arrange(taken);
  EXPECT_EQ(Value(taken[0]), 1);
  EXPECT_EQ(Value(taken[2]), 3);
}

}  // namespace
}  // namespace sluice
