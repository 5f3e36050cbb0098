// Queue: a stream of the emulated GPU. Its work runs in order on its own
// thread, so that tests detect missing waits here, too.
//
// Mark: a position in a queue that others can wait for. Both live as long as
// the process. Thread safe.
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

// Marks the work so far; it is reached once that work is done.
class Mark {
 public:
  void Reach() SL_EXCLUDES(mu_);
  bool reached() const SL_EXCLUDES(mu_);
  // Returns the time when it was reached.
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
  // A mark that is reached when all work added so far is done.
  MarkRef AddMark();
  bool idle() const SL_EXCLUDES(mu_);
  // Waits for all work added so far. REQUIRES: it is not recording.
  void Drain();

  // Work added from now on is appended to `to` and not executed, until
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
