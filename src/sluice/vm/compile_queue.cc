#include "sluice/vm/compile_queue.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <system_error>
#include <utility>

#include "sluice/base/started_thread.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/base/wait_on.h"

namespace sluice {

namespace {

struct Queue {
  Mutex mu;
  std::condition_variable idle;
  std::deque<std::function<void()>> jobs SL_GUARDED_BY(mu);
  bool running SL_GUARDED_BY(mu) = false;  // there is a thread
  bool over SL_GUARDED_BY(mu) = false;     // the process ends

  void Main() {
    // Low priority, for machines with fewer cores than threads.
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 10);
    MutexLock lock(mu);
    while (!jobs.empty()) {
      std::function<void()> job = std::move(jobs.front());
      jobs.pop_front();
      mu.unlock();
      job();
      job = nullptr;  // its captures may take other locks
      mu.lock();
    }
    running = false;
    idle.notify_all();
  }
};

std::atomic<Queue*> queue{nullptr};

// Never destroyed: the thread may run until the process ends.
Queue& TheQueue() {
  if (Queue* there = queue.load(std::memory_order_acquire)) return *there;
  // A forked child does not have the thread, and may have inherited a held
  // lock.
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { queue = nullptr; });
  (void)registered;
  Queue* made = new Queue;
  Queue* first = nullptr;
  if (queue.compare_exchange_strong(first, made)) return *made;
  delete made;
  return *first;
}

// The compiler is a library with static objects, which exit() destroys even if
// a thread is using or still loading it. Thread-local objects of the thread
// that ends the process are destroyed before all static objects: so that thread
// has this one, which waits for the current job.
struct AtTheEnd {
  ~AtTheEnd() {
    Queue* q = queue.load(std::memory_order_acquire);
    // Other threads may end at any time.
    if (!q || gettid() != getpid()) return;
    MutexLock lock(q->mu);
    q->over = true;
    q->jobs.clear();
    while (q->running) WaitOn(q->idle, q->mu);
  }
};
bool WaitAtTheEnd() {
  static thread_local AtTheEnd at_the_end;
  (void)at_the_end;
  return true;
}
// Created by the thread that loads the library, usually the main thread.
[[maybe_unused]] const bool waits = WaitAtTheEnd();

}  // namespace

bool CompileLater(std::function<void()> job) {
  WaitAtTheEnd();
  Queue& q = TheQueue();
  MutexLock lock(q.mu);
  if (q.over) return false;
  if (!q.running) {
    try {
      StartedThread([&q] { q.Main(); }).detach();
    } catch (const std::system_error&) {
      return false;
    }
    q.running = true;
  }
  q.jobs.push_back(std::move(job));
  return true;
}

void WaitForCompiled() {
  Queue& q = TheQueue();
  MutexLock lock(q.mu);
  while (q.running) WaitOn(q.idle, q.mu);
}

}  // namespace sluice
