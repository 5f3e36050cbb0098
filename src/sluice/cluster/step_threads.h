// StepThreads: the threads of a server that run steps. They help the queue of
// steps while it has work, and run posted jobs that take long.
//
// Thread safe. The queue must outlive it; posted jobs are finished before the
// threads end.
#pragma once

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/session/step_queue.h"

namespace sluice::cluster {

class StepThreads {
 public:
  StepThreads(StepQueue& queue, int threads);
  ~StepThreads();
  void Post(std::function<void()> job);

 private:
  void Main();

  StepQueue& queue_;
  Mutex mu_;
  std::deque<std::function<void()>> jobs_ SL_GUARDED_BY(mu_);
  bool stop_ SL_GUARDED_BY(mu_) = false;
  std::atomic<bool> look_{false};  // there are jobs, or the threads must end
  std::vector<std::thread> threads_;
};

}  // namespace sluice::cluster
