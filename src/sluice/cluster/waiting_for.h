// WaitingFor<T>: a value that another thread delivers, for the few places that
// block for an answer; none of them runs steps.
//
// Shared by the waiting and the delivering thread; either may finish first.
// Thread safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <optional>

#include "sluice/base/thread_annotations.h"

namespace sluice::cluster {

template <class T>
class WaitingFor {
 public:
  void Bring(T value) {
    {
      MutexLock lock(mu_);
      if (value_) return;  // the first value wins
      value_ = std::move(value);
    }
    there_.notify_all();
  }
  bool there() {
    MutexLock lock(mu_);
    return value_.has_value();
  }
  T Wait() {
    MutexLock lock(mu_);
    while (!value_) there_.wait(mu_);
    return *value_;
  }
  // Nothing if it has not arrived in time.
  std::optional<T> WaitFor(int64_t ms) {
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
    MutexLock lock(mu_);
    while (!value_) {
      if (there_.wait_until(mu_, until) == std::cv_status::timeout) break;
    }
    return value_;
  }

 private:
  Mutex mu_;
  std::condition_variable_any there_;
  std::optional<T> value_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice::cluster
