#include "sluice/base/timer.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <memory>

#include "sluice/base/clock.h"

namespace sluice {

namespace {

std::atomic<Timer*> default_timer{nullptr};

// A forked child does not have the thread: it starts one of its own.
void ForgetTimer() { default_timer.store(nullptr, std::memory_order_relaxed); }

}  // namespace

Timer& Timer::Default() {
  if (Timer* timer = default_timer.load(std::memory_order_acquire)) {
    return *timer;
  }
  auto made = std::make_unique<Timer>();  // outlives every step
  Timer* first = nullptr;
  if (!default_timer.compare_exchange_strong(first, made.get())) return *first;
  static const int registered = pthread_atfork(nullptr, nullptr, &ForgetTimer);
  (void)registered;
  return *made.release();
}

Timer::~Timer() {
  {
    std::lock_guard lock(mu_);
    stop_ = true;
    cv_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

Timer::Id Timer::After(int64_t nanos, std::function<void()> callback) {
  std::lock_guard lock(mu_);
  // First, for it may fail: nobody would run what waits then.
  if (!thread_.joinable()) thread_ = std::thread([this] { Main(); });
  Id id = next_++;
  queue_.emplace(NowNanos() + nanos, std::pair(id, std::move(callback)));
  cv_.notify_all();
  return id;
}

bool Timer::Cancel(Id id) {
  std::unique_lock lock(mu_);
  for (auto it = queue_.begin(); it != queue_.end(); ++it) {
    if (it->second.first == id) {
      queue_.erase(it);
      return true;
    }
  }
  if (std::this_thread::get_id() != thread_.get_id()) {
    done_.wait(lock, [&] { return running_ != id; });
  }
  return false;
}

void Timer::Main() {
  std::unique_lock lock(mu_);
  while (!stop_) {
    if (queue_.empty()) {
      cv_.wait(lock);
      continue;
    }
    auto first = queue_.begin();
    int64_t wait = first->first - NowNanos();
    if (wait > 0) {
      cv_.wait_for(lock, std::chrono::nanoseconds(wait));
      continue;
    }
    auto [id, callback] = std::move(first->second);
    queue_.erase(first);
    running_ = id;
    lock.unlock();
    callback();
    callback = nullptr;
    lock.lock();
    running_ = 0;
    done_.notify_all();
  }
}

}  // namespace sluice
