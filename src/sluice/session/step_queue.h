// StepQueue: the steps that are ready to continue, and the threads that run
// them. A DrivenStep is a Step without a thread of its own: it is in the queue
// while it has ready work, and one thread at a time takes it out and runs it.
//
// Threads that wait for a step help. On one core the pieces of a step over
// several tasks take turns without a thread switch. The queue must outlive its
// steps. Thread safe.
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
  // Idle workers of `pool` help if several steps are ready; null: only waiting
  // threads run steps.
  explicit StepQueue(WorkerPool* pool = nullptr) : pool_(pool) {}
  // REQUIRES: no step is left.
  ~StepQueue();
  void Push(DrivenStep& step);
  // Runs steps until `done` returns true; it is called after each step and
  // after Notify.
  void HelpUntil(const std::function<bool()>& done);
  void Notify() { event_.Notify(); }

  // For a thread whose work makes steps ready, such as a thread that reads from
  // the network. While this object lives, the steps it wakes wake no other
  // thread; Run runs them here. Only one thread of the process at a time;
  // remaining steps are left to others. Lives on the stack.
  class Here {
   public:
    explicit Here(StepQueue& queue);
    ~Here();
    Here(const Here&) = delete;
    Here& operator=(const Here&) = delete;
    // Runs until nothing is ready or about `nanos` have passed.
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
  // An intrusive list in queue order: becoming ready allocates no memory.
  DrivenStep* first_ SL_GUARDED_BY(mu_) = nullptr;
  DrivenStep* last_ SL_GUARDED_BY(mu_) = nullptr;
  EventCount event_;
};

class DrivenStep {
 public:
  // Called when the step is quiet; may destroy this object.
  using Quiet = std::function<void()>;
  DrivenStep(StepQueue& queue, Step& step, Quiet quiet)
      : queue_(queue), step_(step), quiet_(std::move(quiet)) {}

  // For StepRequest::wake; called from any thread while the step is not quiet.
  StepWake wake() {
    return {[](void* self) { static_cast<DrivenStep*>(self)->Wake(); }, this};
  }
  // Call once, after the step has begun and has its feeds.
  void Start() { Wake(); }

 private:
  friend class StepQueue;
  // kAsleep: nothing is ready. kAgain: new work arrived while it ran.
  enum class State : uint8_t { kAsleep, kQueued, kRuns, kAgain };
  void Wake();
  void Run();

  StepQueue& queue_;
  Step& step_;
  Quiet quiet_;
  std::atomic<State> state_{State::kAsleep};
  DrivenStep* next_ = nullptr;  // list link; guarded by the queue's lock
};

}  // namespace sluice
