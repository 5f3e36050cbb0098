// WorkerPool: the threads that everything in Sluice runs on. Workers are pinned
// inside the process's affinity mask, look for work for a while, then park.
//
//   Submit(task)      run it on some worker (or by a thread that helps)
//   RunOne()          a waiting thread helps instead of idling
//   ParallelFor(...)  splits a loop over the workers and the caller
//
// A pool of parallelism p has p - 1 threads: the caller of a step is the p-th.
// Tasks never block. Thread safe; destroyed only when no task is left.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "sluice/base/event_count.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/base/work_deque.h"

namespace sluice {

// A unit of work, owned by its submitter and valid until run() is called.
struct Task {
  void (*run)(Task*) = nullptr;
  Task* next = nullptr;  // used by the pool
};

class WorkerPool {
 public:
  explicit WorkerPool(int parallelism);
  ~WorkerPool();

  // As many threads as the cores the process may use (SLUICE_THREADS
  // overrides).
  static WorkerPool& Default();

  // 1, 2, ... on a pool's worker thread; 0 on any other.
  static int CurrentWorker();

  int parallelism() const { return static_cast<int>(workers_.size()) + 1; }
  void Submit(Task* task);
  // Runs one waiting task on this thread; false if there was none.
  bool RunOne();
  // True if a worker is idle: exporting work pays off.
  bool has_idle() const { return idle_.load(std::memory_order_relaxed) > 0; }

  // Calls body(context, begin, end) for chunks of `grain` items covering [0,
  // count); returns when all are done. Chunk borders depend only on count and
  // grain. May be called from tasks and from inside a chunk.
  void ParallelChunks(int64_t count, int64_t grain,
                      void (*body)(void*, int64_t, int64_t), void* context);

 private:
  struct Worker {
    WorkDeque<Task*> deque;
    std::thread thread;
    uint32_t random = 1;
  };
  // The state of a running ParallelFor, in one cache line: a short loop takes
  // as long as its line needs to go from core to core.
  struct alignas(64) LoopSlot {
    // Chunks that have not begun; less than 1: nothing to do here.
    std::atomic<int64_t> left{0};
    int64_t chunks, count, grain;
    void (*body)(void*, int64_t, int64_t);
    void* context;
    // Threads that run chunks or are about to try. While there are none, the
    // thread that has taken the slot may write the other fields.
    std::atomic<int32_t> users{0};
    std::atomic<bool> taken{false};
  };
  static_assert(sizeof(LoopSlot) == 64);
  static constexpr int kLoopSlots = 8;

  void WorkerMain(int index);
  Task* FindTask(int self);
  bool HelpLoops();
  bool Help(LoopSlot& slot);
  LoopSlot* TakeSlot();
  static void RunChunk(const LoopSlot& slot, int64_t chunk);

  std::vector<std::unique_ptr<Worker>> workers_;
  // Usually one loop runs at a time, in the first slot; the others are only
  // checked if some of them are taken.
  LoopSlot slots_[kLoopSlots];
  std::atomic<int32_t> more_loops_{0};
  EventCount sleepers_;
  std::atomic<bool> stop_{false};
  bool pinned_ = false;
  // Threads that spin or are parked. On a separate line: workers write it at
  // every loop, and threads that post loops read the line above.
  alignas(64) std::atomic<int32_t> idle_{0};

  alignas(64) Mutex inject_mu_;
  Task* inject_head_ SL_GUARDED_BY(inject_mu_) = nullptr;
  Task* inject_tail_ SL_GUARDED_BY(inject_mu_) = nullptr;
  std::atomic<int64_t> inject_size_{0};
};

// ParallelFor(pool, n, grain, [&](int64_t begin, int64_t end) { ... });
// Runs everything on this thread if pool is null or the loop is one chunk.
template <class F>
void ParallelFor(WorkerPool* pool, int64_t count, int64_t grain, F&& body) {
  if (count <= 0) return;
  if (!pool || count <= grain || pool->parallelism() == 1) {
    // The same chunks as in parallel, so that results cannot differ.
    for (int64_t b = 0; b < count; b += grain) {
      body(b, count - b < grain ? count : b + grain);
    }
    return;
  }
  using Body = std::remove_reference_t<F>;
  pool->ParallelChunks(
      count, grain,
      [](void* context, int64_t b, int64_t e) {
        (*static_cast<Body*>(context))(b, e);
      },
      const_cast<std::remove_const_t<Body>*>(&body));
}

}  // namespace sluice
