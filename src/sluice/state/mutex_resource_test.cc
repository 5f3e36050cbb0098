#include "sluice/state/mutex_resource.h"

#include <thread>

#include "sluice/state/state_test_util.h"

namespace sluice {
namespace {

Answer Acquire(MutexResource& m, Cancellation* c = nullptr) {
  Answer a;
  m.Acquire(c, a.reply());
  return a;
}

TEST(MutexResource, OneHolderAtATimeInOrder) {
  Ref<MutexResource> m = MakeRef<MutexResource>("m");
  EXPECT_FALSE(m->held());
  Answer a = Acquire(*m), b = Acquire(*m), c = Acquire(*m);
  EXPECT_TRUE(m->held());
  EXPECT_TRUE(b.pending());
  ASSERT_TRUE(m->Unlock(a.value<int64_t>()).ok());
  EXPECT_TRUE(c.pending());
  ASSERT_TRUE(m->Unlock(b.value<int64_t>()).ok());
  ASSERT_TRUE(m->Unlock(c.value<int64_t>()).ok());
  EXPECT_FALSE(m->held());
}

TEST(MutexResource, OnlyTheHoldersTicketUnlocks) {
  Ref<MutexResource> m = MakeRef<MutexResource>("m");
  ExpectError(m->Unlock(0), Code::kFailedPrecondition,
              "ticket 0 does not hold mutex \"m\"; nobody does");
  Answer a = Acquire(*m);
  ExpectError(m->Unlock(77), Code::kFailedPrecondition,
              "ticket 77 does not hold mutex \"m\"; ticket 1 does");
  ASSERT_TRUE(m->Unlock(a.value<int64_t>()).ok());
  EXPECT_FALSE(m->Unlock(a.value<int64_t>()).ok());
  EXPECT_NE(Acquire(*m).value<int64_t>(), a.value<int64_t>());
}

TEST(MutexResource, ACancelledWaiterLeavesTheLine) {
  Ref<MutexResource> m = MakeRef<MutexResource>("m");
  Cancellation step;
  Answer a = Acquire(*m), b = Acquire(*m, &step), c = Acquire(*m);
  step.Cancel(Aborted("stop"));
  ExpectError(b.status(), Code::kCancelled,
              "wait for mutex \"m\" was cancelled: stop");
  ASSERT_TRUE(m->Unlock(a.value<int64_t>()).ok());
  EXPECT_TRUE(c.status().ok());
}

TEST(MutexResource, Excludes) {
  constexpr int kThreads = 3, kRounds = 500;
  Ref<MutexResource> m = MakeRef<MutexResource>("m");
  int64_t shared = 0;  // guarded by m alone
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i) {
        Answer a = Acquire(*m);
        a.Wait();
        ++shared;
        EXPECT_TRUE(m->Unlock(a.value<int64_t>()).ok());
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(shared, kThreads * kRounds);
}

// Cancelled or granted, once; and a granted lock is never lost.
TEST(MutexResource, CancellationRacesWithUnlock) {
  for (int round = 0; round < 1000; ++round) {
    Ref<MutexResource> m = MakeRef<MutexResource>("m");
    Cancellation step;
    Answer a = Acquire(*m);
    Answer b = Acquire(*m, &step);
    std::thread canceller([&] { step.Cancel(Aborted("stop")); });
    EXPECT_TRUE(m->Unlock(a.value<int64_t>()).ok());
    canceller.join();
    b.Wait();
    EXPECT_EQ(b.count(), 1);
    EXPECT_EQ(m->held(), b.status().ok());
  }
}

}  // namespace
}  // namespace sluice
