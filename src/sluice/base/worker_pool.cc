#include "sluice/base/worker_pool.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <unordered_map>

#include "sluice/base/clock.h"
#include "sluice/base/default_threads.h"
#include "sluice/base/loop_helpers.h"
#include "sluice/base/started_thread.h"

namespace sluice {

namespace {

// A parked worker takes 4 to 10 us to wake, so a pinned worker first looks for
// work for about this long. An unpinned one must not: the kernel may have woken
// it on the core of the thread that woke it.
constexpr int64_t kSpinNanos = 60'000;

thread_local WorkerPool* current_pool = nullptr;
thread_local int current_index = -1;

std::vector<int> AllowedCores() {
  std::vector<int> cores;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(i, &set)) cores.push_back(i);
    }
  }
  if (cores.empty()) cores.push_back(0);
  return cores;
}

// The process that created each pool. A child of fork() has none of the threads
// of its parent's pools: the threads that run steps there do all of the work.
class Makers {
 public:
  static Makers& All() {
    static auto* makers = [] {
      auto* made = new Makers;
      pthread_atfork(&Lock, &Unlock, &Unlock);
      return made;
    }();
    return *makers;
  }
  void Add(const WorkerPool* pool) {
    MutexLock lock(mu_);
    made_by_[pool] = getpid();
  }
  // Whether this process created the pool; removes the entry.
  bool Remove(const WorkerPool* pool) {
    MutexLock lock(mu_);
    auto it = made_by_.find(pool);
    bool ours = it->second == getpid();
    made_by_.erase(it);
    return ours;
  }

 private:
  // Around a fork: no other thread may hold the lock at that moment.
  static void Lock() SL_NO_THREAD_SAFETY_ANALYSIS { All().mu_.lock(); }
  static void Unlock() SL_NO_THREAD_SAFETY_ANALYSIS { All().mu_.unlock(); }

  Mutex mu_;
  std::unordered_map<const WorkerPool*, pid_t> made_by_ SL_GUARDED_BY(mu_);
};

std::atomic<WorkerPool*> default_pool{nullptr};

constexpr int kMostThreads = 1024;
std::atomic<int> asked_threads{0};  // by SetDefaultThreads; 0: not set
// All former default pools, by their parallelism.
std::atomic<WorkerPool*> pools_made[kMostThreads + 1];

// A forked child has none of the threads: it creates new ones when it first
// needs them. Its copy of the old pool is left alone; threads that wait there
// run everything themselves.
void ForgetPool() {
  default_pool.store(nullptr, std::memory_order_relaxed);
  for (auto& pool : pools_made) pool.store(nullptr, std::memory_order_relaxed);
}

}  // namespace

WorkerPool& WorkerPool::Default() {
  // No lock: another thread might hold it during a fork.
  if (WorkerPool* pool = default_pool.load(std::memory_order_acquire)) {
    return *pool;
  }
  int threads = static_cast<int>(AllowedCores().size());
  if (const char* text = std::getenv("SLUICE_THREADS")) {
    threads = std::clamp(std::atoi(text), 1, kMostThreads);
  }
  if (int asked = asked_threads.load()) threads = asked;
  // Never destroyed: threads use it at exit.
  auto made = std::make_unique<WorkerPool>(threads);
  WorkerPool* first = nullptr;
  if (!default_pool.compare_exchange_strong(first, made.get())) return *first;
  static const int registered = pthread_atfork(nullptr, nullptr, &ForgetPool);
  (void)registered;
  return *made.release();
}

void SetDefaultThreads(int threads) {
  asked_threads.store(threads);
  WorkerPool& now = WorkerPool::Default();
  if (now.parallelism() == threads) return;
  pools_made[std::min(now.parallelism(), kMostThreads)].store(&now);
  WorkerPool* made = pools_made[threads].load();
  if (!made) {
    auto fresh = std::make_unique<WorkerPool>(threads);
    if (pools_made[threads].compare_exchange_strong(made, fresh.get())) {
      made = fresh.release();  // never destroyed: threads use it at exit
    }
  }
  default_pool.store(made, std::memory_order_release);
}

int WorkerPool::CurrentWorker() { return current_index + 1; }

WorkerPool::WorkerPool(int parallelism) {
  Makers::All().Add(this);
  int count = std::max(parallelism, 1) - 1;
  std::vector<int> cores = AllowedCores();
  // More workers than other cores would pin two to one core: do not pin them.
  pinned_ = count < static_cast<int>(cores.size());
  for (int i = 0; i < count; ++i)
    workers_.push_back(std::make_unique<Worker>());
  for (int i = 0; i < count; ++i) {
    Worker& w = *workers_[static_cast<size_t>(i)];
    w.random = 0x9e3779b9u * static_cast<uint32_t>(i + 1);
    try {
      w.thread = StartedThread([this, i] { WorkerMain(i); });
    } catch (const std::system_error&) {
      // No more threads are available. Waiting threads help, so everything
      // still runs; running threads already read the list of workers.
      break;
    }
    if (!pinned_) continue;
    cpu_set_t set;
    CPU_ZERO(&set);
    // The first core is left to the caller.
    CPU_SET(cores[static_cast<size_t>(i) + 1], &set);
    pthread_setaffinity_np(w.thread.native_handle(), sizeof set, &set);
  }
}

WorkerPool::~WorkerPool() {
  if (!Makers::All().Remove(this)) {
    // Threads that do not exist can be neither joined nor detached.
    for (auto& w : workers_) (void)w.release();
    return;
  }
  stop_.store(true, std::memory_order_seq_cst);
  sleepers_.Notify();
  for (auto& w : workers_) {
    if (w->thread.joinable()) w->thread.join();
  }
}

void WorkerPool::Submit(Task* task) {
  task->next = nullptr;
  if (current_pool == this) {
    workers_[static_cast<size_t>(current_index)]->deque.Push(task);
  } else {
    MutexLock lock(inject_mu_);
    (inject_tail_ ? inject_tail_->next : inject_head_) = task;
    inject_tail_ = task;
    inject_size_.fetch_add(1, std::memory_order_seq_cst);
  }
  sleepers_.Notify(1);
}

Task* WorkerPool::FindTask(int self) {
  Task* task;
  if (self >= 0 && workers_[static_cast<size_t>(self)]->deque.Pop(&task)) {
    return task;
  }
  if (inject_size_.load(std::memory_order_seq_cst) > 0) {
    MutexLock lock(inject_mu_);
    if ((task = inject_head_)) {
      inject_head_ = task->next;
      if (!inject_head_) inject_tail_ = nullptr;
      inject_size_.fetch_sub(1, std::memory_order_relaxed);
      return task;
    }
  }
  size_t n = workers_.size();
  if (n == 0) return nullptr;
  size_t start = 0;
  if (self >= 0) {
    uint32_t& r = workers_[static_cast<size_t>(self)]->random;
    r ^= r << 13, r ^= r >> 17, r ^= r << 5;
    start = r % n;
  }
  for (size_t k = 0; k < n; ++k) {
    size_t victim = (start + k) % n;
    if (static_cast<int>(victim) == self) continue;
    if (workers_[victim]->deque.Steal(&task)) return task;
  }
  return nullptr;
}

bool WorkerPool::RunOne() {
  Task* task = FindTask(current_pool == this ? current_index : -1);
  if (!task) return HelpLoops();
  task->run(task);
  return true;
}

void WorkerPool::WorkerMain(int index) {
  current_pool = this;
  current_index = index;
  auto look = [&] {
    if (HelpLoops()) return true;
    Task* task = FindTask(index);
    if (!task) return false;
    idle_.fetch_sub(1, std::memory_order_relaxed);
    task->run(task);
    idle_.fetch_add(1, std::memory_order_relaxed);
    return true;
  };
  idle_.fetch_add(1, std::memory_order_relaxed);
  for (;;) {
    int64_t until = NowNanos() + kSpinNanos;
    bool found = false;
    for (int i = 0;; ++i) {
      if (look()) {
        found = true;
        break;
      }
      if (stop_.load(std::memory_order_relaxed)) break;
      if (!pinned_) {
        sched_yield();
        if (i >= 8) break;
      }
      // Loops are short and cannot wait for the next complete search for work.
      for (int p = 0; p < 16; ++p) {
        SpinPause();
        if (slots_[0].left.load(std::memory_order_relaxed) > 0) break;
      }
      if ((i & 15) == 15 && NowNanos() > until) break;
    }
    if (found) continue;
    uint32_t seen = sleepers_.Prepare();
    // Search once more between announcing and sleeping: a submitter that came
    // before the announcement did not wake us.
    if (look()) {
      sleepers_.Cancel();
      continue;
    }
    if (stop_.load(std::memory_order_seq_cst)) {
      sleepers_.Cancel();
      return;
    }
    sleepers_.Wait(seen);
  }
}

void WorkerPool::RunChunk(const LoopSlot& slot, int64_t chunk) {
  int64_t begin = chunk * slot.grain;
  slot.body(slot.context, begin, std::min(begin + slot.grain, slot.count));
}

// A thread announces itself before it takes a chunk, and the caller waits for
// announced threads after the last chunk is taken: so the slot's data is valid
// while a chunk runs.
bool WorkerPool::Help(LoopSlot& slot) {
  if (slot.left.load(std::memory_order_seq_cst) <= 0) return false;
  slot.users.fetch_add(1, std::memory_order_relaxed);
  int64_t left = slot.left.fetch_sub(1, std::memory_order_acq_rel);
  const bool found = left > 0, worker = found && current_pool == this;
  if (worker) idle_.fetch_sub(1, std::memory_order_relaxed);
  while (left > 0) {
    RunChunk(slot, slot.chunks - left);
    left = slot.left.load(std::memory_order_relaxed);
    if (left > 0) left = slot.left.fetch_sub(1, std::memory_order_acq_rel);
  }
  // First the count that the caller waits for.
  slot.users.fetch_sub(1, std::memory_order_release);
  if (worker) idle_.fetch_add(1, std::memory_order_relaxed);
  return found;
}

bool WorkerPool::HelpLoops() {
  bool helped = Help(slots_[0]);
  if (more_loops_.load(std::memory_order_seq_cst) == 0) return helped;
  for (int i = 1; i < kLoopSlots; ++i) helped = Help(slots_[i]) || helped;
  return helped;
}

WorkerPool::LoopSlot* WorkerPool::TakeSlot() {
  for (LoopSlot& slot : slots_) {
    if (!slot.taken.load(std::memory_order_relaxed) &&
        !slot.taken.exchange(true, std::memory_order_acquire)) {
      return &slot;
    }
  }
  return nullptr;
}

namespace {

// A loop whose body may throw, on any thread: the first exception is stored for
// the caller, and the rest of the loop is skipped.
struct CaughtLoop {
  void (*body)(void*, int64_t, int64_t);
  void* context;
  std::atomic<bool> failed{false};
  std::exception_ptr error{};  // written by the thread that sets `failed`

  static void Run(void* self, int64_t begin, int64_t end) {
    auto& loop = *static_cast<CaughtLoop*>(self);
    if (loop.failed.load(std::memory_order_relaxed)) return;
    try {
      loop.body(loop.context, begin, end);
    } catch (...) {
      if (!loop.failed.exchange(true)) loop.error = std::current_exception();
    }
  }
};

}  // namespace

void WorkerPool::ParallelChunks(int64_t count, int64_t grain,
                                void (*body)(void*, int64_t, int64_t),
                                void* context) {
  LoopSlot* slot = TakeSlot();
  if (!slot) {
    for (int64_t b = 0; b < count; b += grain) {
      body(context, b, std::min(b + grain, count));
    }
    return;
  }
  CaughtLoop caught{body, context};
  slot->chunks = (count + grain - 1) / grain;
  slot->count = count;
  slot->grain = grain;
  slot->body = &CaughtLoop::Run;
  slot->context = &caught;
  const bool first = slot == slots_;
  // The caller takes the first chunk.
  slot->left.store(slot->chunks - 1, std::memory_order_seq_cst);
  if (!first) more_loops_.fetch_add(1, std::memory_order_seq_cst);
  sleepers_.Notify(static_cast<int>(std::min<int64_t>(slot->chunks - 1, 1024)));
  // Threads beyond the pool's parallelism would only take cores from others.
  LoopHelper::Wake(this, std::min<int64_t>(slot->chunks, parallelism()) - 1);
  int64_t left = slot->chunks;
  while (left > 0) {
    RunChunk(*slot, slot->chunks - left);
    left = slot->left.load(std::memory_order_acquire);
    if (left > 0) left = slot->left.fetch_sub(1, std::memory_order_acq_rel);
  }
  if (!first) more_loops_.fetch_sub(1, std::memory_order_relaxed);
  for (int i = 0; slot->users.load(std::memory_order_acquire) != 0; ++i) {
    SpinPause();
    // A helper that lost its core must get it back before the caller can
    // continue.
    if (i > 2000 || !pinned_) sched_yield();
  }
  slot->taken.store(false, std::memory_order_release);
  // All threads have left the loop: the error is written.
  if (caught.error) [[unlikely]]
    std::rethrow_exception(caught.error);
}

}  // namespace sluice
