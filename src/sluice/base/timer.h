// Timer: calls back at a point in time. One thread, started by the first use,
// serves every deadline and sleeping op of the process; it only calls, so
// callbacks must be short and must not block.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace sluice {

class Timer {
 public:
  static Timer& Default();
  ~Timer();

  using Id = int64_t;
  Id After(int64_t nanos, std::function<void()> callback);
  // False when the callback has run or is running now; in the latter case
  // returns only after it is done, so what it uses may go away.
  bool Cancel(Id id);

 private:
  void Main();

  std::mutex mu_;
  std::condition_variable cv_;
  std::condition_variable done_;
  // All below under mu_.
  std::multimap<int64_t, std::pair<Id, std::function<void()>>> queue_;
  Id next_ = 1;
  Id running_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace sluice
