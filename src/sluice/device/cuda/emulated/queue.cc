#include "sluice/device/cuda/emulated/queue.h"

#include <utility>

#include "sluice/base/started_thread.h"

namespace sluice::emulated {

void Mark::Reach() {
  MutexLock lock(mu_);
  reached_ = true;
  time_ = std::chrono::steady_clock::now();
  changed_.notify_all();
}

bool Mark::reached() const {
  MutexLock lock(mu_);
  return reached_;
}

std::chrono::steady_clock::time_point Mark::Wait() {
  MutexLock lock(mu_);
  while (!reached_) changed_.wait(mu_);
  return time_;
}

Queue::Queue() {
  StartedThread([this] { Main(); }).detach();
}

void Queue::Add(Work work) {
  MutexLock lock(mu_);
  if (recording_) {
    recording_->push_back(std::move(work));
    return;
  }
  waiting_.push_back(std::move(work));
  changed_.notify_one();
}

MarkRef Queue::AddMark() {
  auto mark = std::make_shared<Mark>();
  Add([mark] { mark->Reach(); });
  return mark;
}

bool Queue::idle() const {
  MutexLock lock(mu_);
  return waiting_.empty() && !working_;
}

void Queue::Drain() { AddMark()->Wait(); }

void Queue::RecordTo(Recording* to) {
  MutexLock lock(mu_);
  recording_ = to;
}

Queue::Recording* Queue::StopRecording() {
  MutexLock lock(mu_);
  return std::exchange(recording_, nullptr);
}

Queue::Recording* Queue::recording() const {
  MutexLock lock(mu_);
  return recording_;
}

void Queue::Main() {
  for (;;) {
    Work work;
    {
      MutexLock lock(mu_);
      working_ = false;
      while (waiting_.empty()) changed_.wait(mu_);
      work = std::move(waiting_.front());
      waiting_.pop_front();
      working_ = true;
    }
    work();
  }
}

}  // namespace sluice::emulated
