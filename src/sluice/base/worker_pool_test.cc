#include "sluice/base/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "sluice/base/started_thread.h"

namespace sluice {
namespace {

TEST(WorkerPool, ParallelForVisitsEveryItemOnce) {
  for (int threads : {1, 2, 4}) {
    WorkerPool pool(threads);
    for (int64_t n : {0, 1, 7, 1000}) {
      std::vector<std::atomic<int>> seen(static_cast<size_t>(n));
      ParallelFor(&pool, n, 3, [&](int64_t b, int64_t e) {
        for (int64_t i = b; i < e; ++i) ++seen[static_cast<size_t>(i)];
      });
      for (auto& s : seen) EXPECT_EQ(s.load(), 1);
    }
  }
}

TEST(WorkerPool, ChunksDoNotDependOnTheNumberOfThreads) {
  auto borders = [](WorkerPool* pool) {
    std::vector<std::atomic<int64_t>> ends(100);
    ParallelFor(pool, 100, 7, [&](int64_t b, int64_t e) {
      ends[static_cast<size_t>(b)] = e;
    });
    std::vector<int64_t> plain;
    for (auto& e : ends) plain.push_back(e.load());
    return plain;
  };
  WorkerPool three(3);
  EXPECT_EQ(borders(nullptr), borders(&three));
}

TEST(WorkerPool, LoopsMayNestAndRunSideBySide) {
  WorkerPool pool(3);
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 3; ++t) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        ParallelFor(&pool, 8, 1, [&](int64_t b, int64_t) {
          ParallelFor(&pool, 16, 2, [&](int64_t lo, int64_t hi) {
            sum += (hi - lo) * (b + 1);
          });
        });
      }
    });
  }
  for (auto& c : callers) c.join();
  EXPECT_EQ(sum.load(), 3 * 50 * 16 * 36);
}

// Short loops follow each other in the same slot, and others begin and end
// meanwhile: a late thread finds the next loop there, or none.
TEST(WorkerPool, ShortLoopsFollowEachOther) {
  WorkerPool pool(4);
  constexpr int kCallers = 3, kRounds = 1000;
  std::vector<int64_t> wrong(kCallers, 0);
  std::vector<std::thread> callers;
  for (int t = 0; t < kCallers; ++t) {
    callers.emplace_back([&, t] {
      for (int64_t round = 0; round < kRounds; ++round) {
        // Destroyed right after the loop.
        std::vector<std::atomic<int64_t>> seen(
            static_cast<size_t>(2 + round % 5));
        auto count = static_cast<int64_t>(seen.size());
        // The caller gives others time to arrive, and they use it.
        std::atomic<bool> others{false};
        const auto caller = std::this_thread::get_id();
        ParallelFor(&pool, count, 1, [&](int64_t b, int64_t) {
          if (std::this_thread::get_id() == caller) {
            for (int i = 0; i < 20 && !others; ++i) std::this_thread::yield();
          } else {
            others = true;
            for (int i = 0; i < 3; ++i) std::this_thread::yield();
          }
          seen[static_cast<size_t>(b)] += round + 1;
        });
        for (auto& s : seen) wrong[static_cast<size_t>(t)] += s != round + 1;
      }
    });
  }
  for (auto& c : callers) c.join();
  EXPECT_EQ(wrong, std::vector<int64_t>(kCallers, 0));
}

struct CountTask : Task {
  std::atomic<int>* count;
  WorkerPool* pool;
  int depth;
};

void RunCount(Task* task) {
  auto* t = static_cast<CountTask*>(task);
  t->count->fetch_add(1);
  // A task may submit more: they go to this worker's own deque and are stolen.
  for (int i = 0; i < 2 && t->depth > 0; ++i) {
    auto* child = new CountTask;
    child->run = RunCount;
    child->count = t->count;
    child->pool = t->pool;
    child->depth = t->depth - 1;
    t->pool->Submit(child);
  }
  delete t;
}

TEST(WorkerPool, EverySubmittedTaskRunsOnce) {
  for (int threads : {1, 2, 4}) {
    std::atomic<int> count{0};
    {
      WorkerPool pool(threads);
      auto* root = new CountTask;
      root->run = RunCount;
      root->count = &count;
      root->pool = &pool;
      root->depth = 11;
      pool.Submit(root);
      while (count.load() < (1 << 12) - 1) pool.RunOne();
    }
    EXPECT_EQ(count.load(), (1 << 12) - 1);
  }
}

TEST(WorkDeque, OwnerAndThievesShareWithoutLossOrRepeat) {
  WorkDeque<int*> deque;
  std::vector<int> items(20000);
  std::vector<std::atomic<int>> taken(items.size());
  std::atomic<bool> done{false};
  auto take = [&](int* p) { ++taken[static_cast<size_t>(p - items.data())]; };
  std::vector<std::thread> thieves;
  for (int t = 0; t < 2; ++t) {
    thieves.emplace_back([&] {
      int* p;
      while (!done.load()) {
        if (deque.Steal(&p)) take(p);
      }
      while (deque.Steal(&p)) take(p);
    });
  }
  int* p;
  for (size_t i = 0; i < items.size(); ++i) {
    deque.Push(&items[i]);
    if (i % 3 == 0 && deque.Pop(&p)) take(p);
  }
  while (deque.Pop(&p)) take(p);
  done = true;
  for (auto& t : thieves) t.join();
  for (auto& t : taken) EXPECT_EQ(t.load(), 1);
}

// An exception on a thread of the pool used to end the process.
TEST(WorkerPool, AnExceptionOfALoopReachesItsCaller) {
  WorkerPool pool(3);
  for (int64_t bad : {0, 500, 999}) {
    std::atomic<int64_t> ran{0};
    auto loop = [&] {
      ParallelFor(&pool, 1000, 1, [&](int64_t b, int64_t) {
        if (b == bad) throw std::runtime_error("chunk");
        ++ran;
      });
    };
    EXPECT_THROW(loop(), std::runtime_error);
    EXPECT_LT(ran.load(), 1000);
  }
  // The pool still works.
  std::atomic<int64_t> ran{0};
  ParallelFor(&pool, 1000, 1, [&](int64_t, int64_t) { ++ran; });
  EXPECT_EQ(ran.load(), 1000);
}

// A pool with fewer threads than requested does the same work.
TEST(WorkerPool, AThreadThatCannotBeMadeIsDoneWithout) {
  for (int64_t n : {1, 2, 5}) {
    fail_thread_at = n;
    WorkerPool pool(6);
    EXPECT_LE(fail_thread_at.exchange(0), 0) << "no thread failed";
    std::atomic<int64_t> ran{0};
    ParallelFor(&pool, 1000, 1, [&](int64_t b, int64_t e) { ran += e - b; });
    EXPECT_EQ(ran.load(), 1000);
  }
}

}  // namespace
}  // namespace sluice
