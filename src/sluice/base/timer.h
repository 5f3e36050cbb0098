// Timer: calls back at a point in time, for every deadline and sleeping op of
// the process.
//
// One thread watches the clock. When a callback is due, it runs the callback
// while another thread watches: a slow callback delays no other. Threads are
// started when first needed, and a few are kept. When the system has no more
// threads, the existing ones do the work, later.
//
// Thread safe.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <thread>
#include <unordered_map>

#include "sluice/base/thread_annotations.h"

namespace sluice {

class Timer {
 public:
  static Timer& Default();
  Timer() = default;
  // Waits for callbacks that run; the others are never called.
  ~Timer();

  using Id = int64_t;
  // What a callback throws is dropped: there is nobody to tell.
  Id After(int64_t nanos, std::function<void()> callback);
  // False when the callback has run or is running now; in the latter case
  // returns only after it is done, so what it uses may go away.
  bool Cancel(Id id);

  // How many threads there are, for tests.
  int threads() const;

 private:
  struct Entry {
    Id id;
    std::function<void()> callback;
  };
  using Queue = std::multimap<int64_t, Entry>;
  // A running callback, on its thread's stack.
  struct Running {
    Id id;
    std::thread::id thread;
    Running* next;
  };

  void StartThread() SL_REQUIRES(mu_);
  void Main();
  // Waits until the first callback is due; false when the timer ends.
  bool WatchClock() SL_REQUIRES(mu_);
  // Releases the lock while the callback runs.
  void RunFirst() SL_REQUIRES(mu_);
  Running** Find(Id id) SL_REQUIRES(mu_);

  mutable Mutex mu_;
  std::condition_variable first_;  // the first deadline is another, or the end
  std::condition_variable spare_;  // a thread is wanted to watch the clock
  std::condition_variable done_;  // a callback has returned, a thread has ended
  Queue queue_ SL_GUARDED_BY(mu_);
  std::unordered_map<Id, Queue::iterator> places_ SL_GUARDED_BY(mu_);
  Id next_ SL_GUARDED_BY(mu_) = 1;
  Running* running_ SL_GUARDED_BY(mu_) = nullptr;
  int threads_ SL_GUARDED_BY(mu_) = 0;
  int idle_ SL_GUARDED_BY(mu_) = 0;  // threads that run no callback
  bool watched_ SL_GUARDED_BY(mu_) = false;
  bool stop_ SL_GUARDED_BY(mu_) = false;
};

}  // namespace sluice
