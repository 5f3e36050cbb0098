#include "sluice/state/barrier.h"

#include <set>
#include <thread>

#include "sluice/state/state_test_util.h"

namespace sluice {
namespace {

using Strings = std::vector<std::string>;

struct Fixture {
  Fixture() {
    TupleSpec spec{
        {DType::kF32, DType::kI64}, {{2}, PartialShape::Scalar()}, {}};
    barrier = *Barrier::Make("b", spec);
  }
  static Array Keys(const Strings& keys) {
    return Array::Of<std::string>({static_cast<int64_t>(keys.size())},
                                  std::span<const std::string>(keys));
  }
  // Component 0 of key i is [i, i] and component 1 is 10 * i, i by position.
  Status Insert(int64_t component, const Strings& keys) {
    auto n = static_cast<int64_t>(keys.size());
    if (component == 1) {
      std::vector<int64_t> v;
      for (int64_t i = 0; i < n; ++i) v.push_back(10 * i);
      return barrier->Insert(1, Keys(keys),
                             Array::Vector(std::span<const int64_t>(v)));
    }
    Array v = Array::Zeros(DType::kF32, {n, 2});
    for (int64_t i = 0; i < 2 * n; ++i) {
      v.mutable_data<float>()[i] = static_cast<float>(i / 2);
    }
    return barrier->Insert(component, Keys(keys), v);
  }
  Answer Take(int64_t n, bool up_to = false, Cancellation* c = nullptr) {
    Answer a;
    barrier->Take(n, up_to, c, a.reply());
    return a;
  }
  Ref<Barrier> barrier;
};

TEST(Barrier, AKeyIsReadyWhenAllItsComponentsAreThere) {
  Fixture f;
  ASSERT_TRUE(f.Insert(0, {"a", "b", "c"}).ok());
  EXPECT_EQ(f.barrier->ready_size(), 0);
  EXPECT_EQ(f.barrier->incomplete_size(), 3);
  ASSERT_TRUE(f.Insert(1, {"c", "a"}).ok());
  EXPECT_EQ(f.barrier->ready_size(), 2);
  EXPECT_EQ(f.barrier->incomplete_size(), 1);
  Answer out = f.Take(2);
  // Oldest first, although "c" was completed before "a".
  EXPECT_EQ(out.values<std::string>(0), (Strings{"a", "c"}));
  EXPECT_TRUE(out.out(1).BitEquals(Array::Of<float>({2, 2}, {0, 0, 2, 2})));
  EXPECT_EQ(out.values<int64_t>(2), (std::vector<int64_t>{10, 0}));
  EXPECT_EQ(f.barrier->ready_size(), 0);
}

TEST(Barrier, TakeWaits) {
  Fixture f;
  Answer out = f.Take(2), next = f.Take(1);
  ASSERT_TRUE(f.Insert(0, {"a", "b", "c"}).ok());
  ASSERT_TRUE(f.Insert(1, {"b"}).ok());
  EXPECT_TRUE(out.pending());
  ASSERT_TRUE(f.Insert(1, {"c"}).ok());
  EXPECT_EQ(out.values<std::string>(), (Strings{"b", "c"}));
  ASSERT_TRUE(f.Insert(1, {"a"}).ok());
  EXPECT_EQ(next.values<std::string>(), (Strings{"a"}));
}

TEST(Barrier, TakesNothingWhenAskedForNothing) {
  Fixture f;
  Answer out = f.Take(0);
  EXPECT_EQ(out.out(0).shape(), Shape({0}));
  EXPECT_EQ(out.out(1).shape(), Shape({0, 2}));
}

TEST(Barrier, AKeyMayComeAgainOnceComplete) {
  Fixture f;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(f.Insert(0, {"a"}).ok());
    ASSERT_TRUE(f.Insert(1, {"a"}).ok());
  }
  EXPECT_EQ(f.Take(2).values<std::string>(), (Strings{"a", "a"}));
}

TEST(Barrier, WrongInsertsAreRefusedAndChangeNothing) {
  Fixture f;
  ASSERT_TRUE(f.Insert(0, {"a"}).ok());
  ExpectError(f.Insert(0, {"z", "a"}), Code::kInvalidArgument,
              "key \"a\" of barrier \"b\" has its component 0 already");
  ExpectError(f.Insert(1, {"a", "y", "y"}), Code::kInvalidArgument,
              "key \"y\" is given twice in one insert");
  ExpectError(f.Insert(2, {"a"}), Code::kInvalidArgument,
              "component is 2; wanted 0 to 1 as barrier \"b\"");
  ExpectError(f.Insert(-1, {"a"}), Code::kInvalidArgument, "component is -1");
  ExpectError(f.barrier->Insert(1, Fixture::Keys({"a"}),
                                Array::Vector<int64_t>({1, 2})),
              Code::kInvalidArgument,
              "values is i64[2]; wanted i64[1] for component 1");
  ExpectError(f.barrier->Insert(1, Array::Scalar(std::string("a")),
                                Array::Vector<int64_t>({1})),
              Code::kInvalidArgument, "keys is string[]; wanted string[?]");
  ExpectError(f.Take(-1).status(), Code::kInvalidArgument, "n is -1");
  EXPECT_EQ(f.barrier->incomplete_size(), 1);
  EXPECT_EQ(f.barrier->ready_size(), 0);
}

TEST(Barrier, RefusesComponentsOfUnknownSize) {
  EXPECT_FALSE(Barrier::Make("b", {{DType::kF32}, {}, {}}).ok());
  EXPECT_FALSE(Barrier::Make("b", {{DType::kF32}, {{kUnknownDim}}, {}}).ok());
  EXPECT_FALSE(Barrier::Make("b", {}).ok());
}

TEST(Barrier, CloseHalfWayLetsKeysBeCompleted) {
  Fixture f;
  ASSERT_TRUE(f.Insert(0, {"a", "b"}).ok());
  Answer both = f.Take(2), more = f.Take(1);
  f.barrier->Close(false);
  EXPECT_TRUE(f.barrier->closed());
  // Two keys can still become complete; a third cannot.
  EXPECT_TRUE(both.pending());
  ExpectError(f.Insert(0, {"c"}), Code::kCancelled,
              "barrier \"b\" is closed, and key \"c\" would be new");
  ASSERT_TRUE(f.Insert(1, {"a", "b"}).ok());
  EXPECT_EQ(both.values<std::string>(), (Strings{"a", "b"}));
  ExpectError(more.status(), Code::kOutOfRange,
              "barrier \"b\" is closed and has insufficient elements "
              "(requested 1, complete 0, incomplete 0)");
}

TEST(Barrier, CloseFailsTakesThatCannotBeSatisfied) {
  Fixture f;
  ASSERT_TRUE(f.Insert(0, {"a", "b"}).ok());
  ASSERT_TRUE(f.Insert(1, {"a"}).ok());
  Answer three = f.Take(3);
  f.barrier->Close(false);
  ExpectError(three.status(), Code::kOutOfRange,
              "(requested 3, complete 1, incomplete 1)");
  EXPECT_EQ(f.Take(1).values<std::string>(), (Strings{"a"}));
}

TEST(Barrier, CancelPendingDropsIncompleteKeys) {
  Fixture f;
  ASSERT_TRUE(f.Insert(0, {"a", "b"}).ok());
  ASSERT_TRUE(f.Insert(1, {"a"}).ok());
  Answer both = f.Take(2), small = f.Take(2, true);
  f.barrier->Close(true);
  ExpectError(both.status(), Code::kOutOfRange, "insufficient elements");
  EXPECT_EQ(small.values<std::string>(), (Strings{"a"}));
  EXPECT_EQ(f.barrier->incomplete_size(), 0);
  ExpectError(f.Insert(1, {"b"}), Code::kCancelled, "is closed");
}

TEST(Barrier, ASmallBatchWaitsForWhatMayStillCome) {
  Fixture f;
  ASSERT_TRUE(f.Insert(0, {"a", "b"}).ok());
  ASSERT_TRUE(f.Insert(1, {"a"}).ok());
  Answer out = f.Take(3, true);
  f.barrier->Close(false);
  EXPECT_TRUE(out.pending());
  ASSERT_TRUE(f.Insert(1, {"b"}).ok());
  EXPECT_EQ(out.values<std::string>(), (Strings{"a", "b"}));
}

TEST(Barrier, CancellingAStepEndsItsTake) {
  Fixture f;
  Cancellation step;
  Answer two = f.Take(2, false, &step), one = f.Take(1);
  ASSERT_TRUE(f.Insert(0, {"a"}).ok());
  ASSERT_TRUE(f.Insert(1, {"a"}).ok());
  EXPECT_TRUE(one.pending());
  step.Cancel(Aborted("stop"));
  ExpectError(two.status(), Code::kCancelled,
              "take from barrier \"b\" was cancelled: stop");
  EXPECT_EQ(one.values<std::string>(), (Strings{"a"}));
}

TEST(Barrier, JoinsUnderThreads) {
  constexpr int kKeys = 300;
  Fixture f;
  std::vector<std::thread> threads;
  for (int64_t component = 0; component < 2; ++component) {
    threads.emplace_back([&, component] {
      for (int i = 0; i < kKeys; ++i) {
        // The two sides bring their keys in opposite orders.
        int key = component == 0 ? i : kKeys - 1 - i;
        EXPECT_TRUE(f.Insert(component, {std::to_string(key)}).ok());
      }
    });
  }
  std::set<std::string> seen;
  for (int i = 0; i < kKeys; i += 3) {
    Answer out = f.Take(3);
    out.Wait();
    for (auto& key : out.values<std::string>()) seen.insert(key);
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(seen.size(), static_cast<size_t>(kKeys));
  EXPECT_EQ(f.barrier->incomplete_size(), 0);
}

}  // namespace
}  // namespace sluice
