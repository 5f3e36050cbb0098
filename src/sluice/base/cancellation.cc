#include "sluice/base/cancellation.h"

#include <exception>

namespace sluice {

Status Cancellation::status() const {
  if (!cancelled()) return OkStatus();
  MutexLock lock(mu_);
  return why_;
}

bool Cancellation::Cancel(Status why) {
  std::unordered_map<Token, std::function<void()>> callbacks;
  {
    MutexLock lock(mu_);
    if (flag_.load(std::memory_order_relaxed)) return false;
    why_ = std::move(why);
    flag_.store(true, std::memory_order_release);
    callbacks.swap(callbacks_);
  }
  // An exception in one callback does not keep the others from running.
  std::exception_ptr failed;
  for (auto& [token, callback] : callbacks) {
    try {
      callback();
    } catch (...) {
      if (!failed) failed = std::current_exception();
    }
  }
  if (failed) std::rethrow_exception(failed);
  return true;
}

bool Cancellation::Register(Token* token, std::function<void()> callback) {
  MutexLock lock(mu_);
  if (flag_.load(std::memory_order_relaxed)) return false;
  *token = next_++;
  callbacks_.emplace(*token, std::move(callback));
  return true;
}

bool Cancellation::Deregister(Token token) {
  MutexLock lock(mu_);
  return callbacks_.erase(token) > 0;
}

}  // namespace sluice
