// StepQueue: steps that can go on, and the threads that let them. A DrivenStep
// is a Step without a thread of its own: it is in the queue while something in
// it is ready, and is run by whoever takes it out, one thread at a time.
//
// Whoever waits for a step helps; on one core the pieces of a step over several
// tasks take turns without a thread switch. The queue must outlive its steps.
// Thread safe.
#pragma once

#include <atomic>
#include <functional>

#include "sluice/base/event_count.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/step/step.h"

namespace sluice {

class DrivenStep;

class StepQueue {
 public:
  // Idle workers of `pool` help when several steps can go on; null: nobody but
  // those who wait.
  explicit StepQueue(WorkerPool* pool = nullptr) : pool_(pool) {}
  // REQUIRES: no step is left.
  ~StepQueue();
  void Push(DrivenStep& step);
  // Runs steps until `done`, which is looked at after each and after Notify.
  void HelpUntil(const std::function<bool()>& done);
  void Notify() { event_.Notify(); }

  // For a thread that lets steps go on by what it brings, such as one that
  // reads from the network: while this lives, the steps it wakes wake no other
  // thread, and Run lets them go on here. One thread of the process at a time;
  // what it does not do is left to others. On the stack.
  class Here {
   public:
    explicit Here(StepQueue& queue);
    ~Here();
    Here(const Here&) = delete;
    Here& operator=(const Here&) = delete;
    // Until nothing is ready, or about that time has passed.
    void Run(int64_t nanos);

   private:
    friend class StepQueue;
    StepQueue& queue_;
    Here* const outer_;
    bool pushed_ = false;
  };

 private:
  struct Helper;
  DrivenStep* Pop();

  WorkerPool* const pool_;
  std::atomic<int32_t> helpers_{0};
  Mutex mu_;
  // In order, each knows the next: to be ready takes no memory.
  DrivenStep* first_ SL_GUARDED_BY(mu_) = nullptr;
  DrivenStep* last_ SL_GUARDED_BY(mu_) = nullptr;
  EventCount event_;
};

class DrivenStep {
 public:
  // What is called when the step is quiet; it may destroy this.
  using Quiet = std::function<void()>;
  DrivenStep(StepQueue& queue, Step& step, Quiet quiet)
      : queue_(queue), step_(step), quiet_(std::move(quiet)) {}

  // For StepRequest::wake: from any thread, while the step is not quiet.
  StepWake wake() {
    return {[](void* self) { static_cast<DrivenStep*>(self)->Wake(); }, this};
  }
  // Once, when the step has begun and has been fed.
  void Start() { Wake(); }

 private:
  friend class StepQueue;
  // Asleep: nothing is ready. Again: something came while it ran.
  enum class State : uint8_t { kAsleep, kQueued, kRuns, kAgain };
  void Wake();
  void Run();

  StepQueue& queue_;
  Step& step_;
  Quiet quiet_;
  std::atomic<State> state_{State::kAsleep};
  DrivenStep* next_ = nullptr;  // the queue's, which guards it
};

}  // namespace sluice
