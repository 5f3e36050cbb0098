// Timer: calls back at a point in time, for all deadlines and sleeping ops of
// the process.
//
// One thread watches the clock. When a callback is due, it runs the callback
// while another thread watches: a slow callback does not delay others. Threads
// are started when first needed, and a few are kept. If the system has no more
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
  // Waits for running callbacks; pending ones are never called.
  ~Timer();

  using Id = int64_t;
  // Exceptions of a callback are dropped: nobody could receive them.
  Id After(int64_t nanos, std::function<void()> callback);
  // False if the callback has run or is running now; in the latter case returns
  // only after it has finished, so that the data it uses may be destroyed.
  bool Cancel(Id id);

  // The number of threads, for tests.
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
  std::condition_variable first_;  // the first deadline has changed, or the
                                   // timer ends
  std::condition_variable spare_;  // a thread is needed to watch the clock
  std::condition_variable done_;  // a callback has returned, a thread has ended
  Queue queue_ SL_GUARDED_BY(mu_);
  std::unordered_map<Id, Queue::iterator> places_ SL_GUARDED_BY(mu_);
  Id next_ SL_GUARDED_BY(mu_) = 1;
  Running* running_ SL_GUARDED_BY(mu_) = nullptr;
  int threads_ SL_GUARDED_BY(mu_) = 0;
  int idle_ SL_GUARDED_BY(mu_) = 0;  // threads that are not running a callback
  bool watched_ SL_GUARDED_BY(mu_) = false;
  bool stop_ SL_GUARDED_BY(mu_) = false;
};

}  // namespace sluice
