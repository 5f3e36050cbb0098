#include "sluice/base/loop_helpers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "sluice/base/worker_pool.h"

namespace sluice {
namespace {

// Sleeps like the thread that drives a step: it helps when woken.
class Sleeper {
 public:
  explicit Sleeper(WorkerPool& pool)
      : thread_([this, &pool] {
          while (!done_.load()) {
            uint32_t seen = event_.Prepare();
            LoopHelper helper(&pool, event_);
            if (done_.load() || pool.RunOne()) {
              event_.Cancel();
            } else {
              event_.Wait(seen);
            }
          }
        }) {}
  ~Sleeper() {
    done_ = true;
    event_.Notify();
    thread_.join();
  }

 private:
  std::atomic<bool> done_{false};
  EventCount event_;
  std::thread thread_;
};

// Each chunk waits for the others, so the loop ends only if three threads work
// on it: the caller, the pool's and the sleeper.
TEST(LoopHelper, WhoSleepsElsewhereIsWokenToHelp) {
  WorkerPool pool(2);
  Sleeper sleeper(pool);
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> here{0};
    ParallelFor(&pool, 3, 1, [&](int64_t, int64_t) {
      ++here;
      while (here.load() < 3) std::this_thread::yield();
    });
    EXPECT_EQ(here.load(), 3);
  }
}

TEST(LoopHelper, IsNotWokenByLoopsOfOtherPools) {
  WorkerPool mine(2), other(2);
  EventCount event;
  LoopHelper helper(&mine, event);
  std::atomic<int> items{0};
  ParallelFor(&other, 10, 1, [&](int64_t, int64_t) { ++items; });
  EXPECT_EQ(items.load(), 10);
  uint32_t before = event.Prepare();
  ParallelFor(&other, 10, 1, [&](int64_t, int64_t) { ++items; });
  event.Cancel();
  uint32_t after = event.Prepare();
  event.Cancel();
  EXPECT_EQ(before, after);
}

// A loop of many chunks wakes no more threads than the pool may use: the caller
// and one more.
TEST(LoopHelper, OfManyOnlyAsManyAreWokenAsHelp) {
  WorkerPool pool(2);
  constexpr int kHelpers = 10;
  EventCount events[kHelpers];
  uint32_t before[kHelpers];
  std::optional<LoopHelper> helpers[kHelpers];
  for (int i = 0; i < kHelpers; ++i) {
    before[i] = events[i].Prepare();
    helpers[i].emplace(&pool, events[i]);
  }
  std::atomic<int> items{0};
  ParallelFor(&pool, 100, 1, [&](int64_t, int64_t) { ++items; });
  EXPECT_EQ(items.load(), 100);
  int woken = 0;
  for (int i = 0; i < kHelpers; ++i) {
    helpers[i].reset();
    events[i].Cancel();
    woken += events[i].Prepare() != before[i];
    events[i].Cancel();
  }
  EXPECT_EQ(woken, 1);
}

}  // namespace
}  // namespace sluice
