#include "sluice/cluster/step_threads.h"

#include "sluice/base/started_thread.h"

namespace sluice::cluster {

StepThreads::StepThreads(StepQueue& queue, int threads) : queue_(queue) {
  for (int i = 0; i < threads; ++i) {
    threads_.push_back(StartedThread([this] { Main(); }));
  }
}

StepThreads::~StepThreads() {
  {
    MutexLock lock(mu_);
    stop_ = true;
    look_.store(true, std::memory_order_release);
  }
  queue_.Notify();
  for (std::thread& thread : threads_) thread.join();
}

void StepThreads::Post(std::function<void()> job) {
  {
    MutexLock lock(mu_);
    jobs_.push_back(std::move(job));
    look_.store(true, std::memory_order_release);
  }
  queue_.Notify();
}

void StepThreads::Main() {
  for (;;) {
    queue_.HelpUntil([this] { return look_.load(std::memory_order_acquire); });
    std::function<void()> job;
    {
      MutexLock lock(mu_);
      if (jobs_.empty()) {
        if (stop_) return;
        continue;
      }
      job = std::move(jobs_.front());
      jobs_.pop_front();
      look_.store(!jobs_.empty() || stop_, std::memory_order_release);
    }
    job();
  }
}

}  // namespace sluice::cluster
