#include "sluice/base/timer.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

#include "sluice/base/clock.h"
#include "sluice/base/started_thread.h"
#include "sluice/base/wait_on.h"

namespace sluice {

namespace {

std::atomic<Timer*> default_timer{nullptr};

// A forked child does not have the thread: it starts its own.
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
  MutexLock lock(mu_);
  stop_ = true;
  first_.notify_all();
  spare_.notify_all();
  while (threads_ != 0) WaitOn(done_, mu_);
}

int Timer::threads() const {
  MutexLock lock(mu_);
  return threads_;
}

// Detached, not joined: it is not known in advance which of them ends.
void Timer::StartThread() {
  StartedThread([this] { Main(); }).detach();
  ++threads_;
  ++idle_;
}

Timer::Id Timer::After(int64_t nanos, std::function<void()> callback) {
  MutexLock lock(mu_);
  // Comes first because it may fail: without any thread nobody would run the
  // callback.
  if (idle_ == 0) {
    try {
      StartThread();
    } catch (const std::system_error&) {
      if (threads_ == 0) throw;
    }
  }
  Id id = next_++;
  auto place =
      queue_.emplace(NowNanos() + nanos, Entry{id, std::move(callback)});
  try {
    places_.emplace(id, place);
  } catch (...) {
    queue_.erase(place);
    throw;
  }
  if (place == queue_.begin()) first_.notify_all();
  return id;
}

Timer::Running** Timer::Find(Id id) {
  Running** at = &running_;
  while (*at && (*at)->id != id) at = &(*at)->next;
  return at;
}

bool Timer::Cancel(Id id) {
  std::function<void()> dropped;  // its captures are destroyed without the lock
  MutexLock lock(mu_);
  if (auto it = places_.find(id); it != places_.end()) {
    dropped = std::move(it->second->second.callback);
    queue_.erase(it->second);
    places_.erase(it);
    return true;
  }
  Running* running = *Find(id);
  if (running && running->thread != std::this_thread::get_id()) {
    while (*Find(id)) WaitOn(done_, mu_);
  }
  return false;
}

bool Timer::WatchClock() {
  watched_ = true;
  while (!stop_) {
    if (queue_.empty()) {
      WaitOn(first_, mu_);
      continue;
    }
    int64_t wait = queue_.begin()->first - NowNanos();
    if (wait <= 0) break;
    WaitOnFor(first_, mu_, std::chrono::nanoseconds(wait));
  }
  watched_ = false;
  return !stop_;
}

void Timer::RunFirst() {
  auto first = queue_.begin();
  Running running{first->second.id, std::this_thread::get_id(), running_};
  std::function<void()> callback = std::move(first->second.callback);
  running_ = &running;
  places_.erase(running.id);
  queue_.erase(first);
  --idle_;
  if (idle_ > 0) {
    spare_.notify_one();
  } else if (!queue_.empty()) {
    try {
      StartThread();
    } catch (...) {
      // No thread, or no memory for one: the others wait for this callback.
    }
  }
  mu_.unlock();
  try {
    callback();
  } catch (...) {
  }
  callback = nullptr;
  mu_.lock();
  *Find(running.id) = running.next;
  ++idle_;
  done_.notify_all();
}

void Timer::Main() {
  constexpr int kKept = 2;  // one watches, one runs
  MutexLock lock(mu_);
  while (!stop_) {
    if (!watched_) {
      if (WatchClock()) RunFirst();
    } else if (idle_ > kKept) {
      break;
    } else {
      WaitOn(spare_, mu_);
    }
  }
  --idle_;
  --threads_;
  done_.notify_all();
}

}  // namespace sluice
