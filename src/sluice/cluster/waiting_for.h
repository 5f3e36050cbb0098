// WaitingFor<T>: a value that another thread brings. For the few places that
// wait for an answer, none of which runs steps.
//
// Shared by the thread that waits and the one that delivers; either may go
// first. Thread safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

namespace sluice::cluster {

template <class T>
class WaitingFor {
 public:
  void Bring(T value) {
    {
      std::lock_guard lock(mu_);
      if (value_) return;  // the first one counts
      value_ = std::move(value);
    }
    there_.notify_all();
  }
  bool there() {
    std::lock_guard lock(mu_);
    return value_.has_value();
  }
  T Wait() {
    std::unique_lock lock(mu_);
    there_.wait(lock, [this] { return value_.has_value(); });
    return *value_;
  }
  // Nothing when it has not come by then.
  std::optional<T> WaitFor(int64_t ms) {
    std::unique_lock lock(mu_);
    there_.wait_for(lock, std::chrono::milliseconds(ms),
                    [this] { return value_.has_value(); });
    return value_;
  }

 private:
  std::mutex mu_;
  std::condition_variable there_;
  std::optional<T> value_;
};

}  // namespace sluice::cluster
