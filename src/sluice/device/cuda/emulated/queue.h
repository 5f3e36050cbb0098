// Queue: a stream of the emulated GPU. Work runs in order on a thread of the
// queue's own, so that what does not wait for it is found out here, too.
//
// Mark: a place in a queue, for others to wait for. Both live as long as the
// process. Thread safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/base/thread_annotations.h"

namespace sluice::emulated {

// Work so far: reached, or still to come.
class Mark {
 public:
  void Reach() SL_EXCLUDES(mu_);
  bool reached() const SL_EXCLUDES(mu_);
  // Returns when it was reached.
  std::chrono::steady_clock::time_point Wait() SL_EXCLUDES(mu_);

 private:
  mutable Mutex mu_;
  bool reached_ SL_GUARDED_BY(mu_) = false;
  std::chrono::steady_clock::time_point time_ SL_GUARDED_BY(mu_);
  std::condition_variable_any changed_;
};
using MarkRef = std::shared_ptr<Mark>;

class Queue {
 public:
  Queue();

  using Work = std::function<void()>;
  void Add(Work work) SL_EXCLUDES(mu_);
  // Reached when all that has been added is done.
  MarkRef AddMark();
  bool idle() const SL_EXCLUDES(mu_);
  // Waits for all that has been added. REQUIRES: it is not recording.
  void Drain();

  // What is added from now on goes to the end of `to` and is not done, until
  // StopRecording, which returns `to`. REQUIRES: `to` lives until then.
  using Recording = std::vector<Work>;
  void RecordTo(Recording* to) SL_EXCLUDES(mu_);
  Recording* StopRecording() SL_EXCLUDES(mu_);
  // Null: it is not recording.
  Recording* recording() const SL_EXCLUDES(mu_);

 private:
  [[noreturn]] void Main() SL_EXCLUDES(mu_);

  mutable Mutex mu_;
  std::deque<Work> waiting_ SL_GUARDED_BY(mu_);
  Recording* recording_ SL_GUARDED_BY(mu_) = nullptr;
  bool working_ SL_GUARDED_BY(mu_) = false;
  std::condition_variable_any changed_;
};

}  // namespace sluice::emulated
