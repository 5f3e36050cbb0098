// Interruption: passes Ctrl-C on to the work of a thread. A binding to another
// language makes it the thread's current one during long calls; steps register
// with it, other loops poll it between iterations.
//
// Request() may be called from a signal handler, CancelSteps() from any thread;
// the rest belongs to the thread it is current on. Must outlive the work under
// it.
#pragma once

#include <atomic>
#include <memory>

#include "sluice/base/cancellation.h"
#include "sluice/base/thread_annotations.h"

namespace sluice {

class Interruption {
 public:
  // This thread's interruption; null if there is none.
  static Interruption* Current();
  // Returns the previous one.
  static Interruption* SetCurrent(Interruption* now);
  // Cancelled if this thread should stop.
  static Status Check() {
    Interruption* current = Current();
    return current && current->requested() ? Why() : OkStatus();
  }
  static Status Why();

  bool requested() const { return flag_.load(std::memory_order_relaxed); }
  void Request() { flag_.store(true, std::memory_order_relaxed); }
  void Clear() { flag_.store(false, std::memory_order_relaxed); }
  // Cancels running steps if a stop was requested.
  void CancelSteps();

  // Registers a step that runs on this thread for the object's lifetime. Does
  // nothing if there is no current interruption.
  class Running {
   public:
    explicit Running(const std::shared_ptr<Cancellation>& step);
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    friend class Interruption;
    Interruption* const owner_;
    std::shared_ptr<Cancellation> step_;
    Running* outer_ = nullptr;  // of an enclosing step
  };

  // Called before a step runs under an interruption, so that the code that
  // calls CancelSteps() can prepare. Set once.
  static constinit std::atomic<void (*)()> step_begins;

 private:
  std::atomic<bool> flag_{false};
  Mutex mu_;
  Running* innermost_ SL_GUARDED_BY(mu_) = nullptr;
};

}  // namespace sluice
