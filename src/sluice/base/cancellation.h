// Cancellation: the switch that stops a step. Kernels poll cancelled();
// operations that wait register a callback, which Cancel() calls.
//
// Thread safe. Lives at least as long as the step; callbacks run on the thread
// that cancels, without any lock held, and at most once.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/base/thread_annotations.h"

namespace sluice {

class Cancellation {
 public:
  bool cancelled() const { return flag_.load(std::memory_order_relaxed); }
  // The reason; OK while not cancelled.
  Status status() const;

  // The first call wins and returns true; later ones change nothing.
  bool Cancel(Status why);

  // Registers `callback`. Returns false without registering it if already
  // cancelled; the caller must then clean up itself. Deregister returns false
  // if the callback has run or is running.
  using Token = int64_t;
  bool Register(Token* token, std::function<void()> callback);
  bool Deregister(Token token);

 private:
  std::atomic<bool> flag_{false};
  mutable Mutex mu_;
  Status why_ SL_GUARDED_BY(mu_);
  Token next_ SL_GUARDED_BY(mu_) = 1;
  std::unordered_map<Token, std::function<void()>> callbacks_
      SL_GUARDED_BY(mu_);
};

}  // namespace sluice
