// Interruption: how Ctrl-C reaches what a thread is doing. A binding to another
// language makes it the thread's current one while the thread runs for long;
// steps make themselves known to it, other loops ask it between their rounds.
//
// Request() may be called from a signal handler, CancelSteps() from any thread;
// the rest belongs to the thread it is current on. Outlives what runs under it.
#pragma once

#include <atomic>
#include <memory>

#include "sluice/base/cancellation.h"
#include "sluice/base/thread_annotations.h"

namespace sluice {

class Interruption {
 public:
  // This thread's; null when nobody interrupts it.
  static Interruption* Current();
  // Returns the one before.
  static Interruption* SetCurrent(Interruption* now);
  // Cancelled when this thread is to stop.
  static Status Check() {
    Interruption* current = Current();
    return current && current->requested() ? Why() : OkStatus();
  }
  static Status Why();

  bool requested() const { return flag_.load(std::memory_order_relaxed); }
  void Request() { flag_.store(true, std::memory_order_relaxed); }
  void Clear() { flag_.store(false, std::memory_order_relaxed); }
  // Cancels the steps that run, if a stop was asked for.
  void CancelSteps();

  // Registers a step that runs on this thread, for as long as this object
  // lives. Does nothing when no interruption is current.
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
    Running* outer_ = nullptr;  // of a step that runs another one
  };

  // Called before a step runs under an interruption: whoever will call
  // CancelSteps() gets ready. Set once.
  static constinit std::atomic<void (*)()> step_begins;

 private:
  std::atomic<bool> flag_{false};
  Mutex mu_;
  Running* innermost_ SL_GUARDED_BY(mu_) = nullptr;
};

}  // namespace sluice
