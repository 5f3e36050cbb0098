#include "sluice/session/step_queue.h"

#include <memory>

#include "sluice/base/clock.h"

namespace sluice {

namespace {
thread_local StepQueue::Here* here = nullptr;
constinit std::atomic<bool> runs_here{false};
}  // namespace

StepQueue::Here::Here(StepQueue& queue) : queue_(queue), outer_(here) {
  here = this;
}

StepQueue::Here::~Here() {
  here = outer_;
  if (pushed_) queue_.event_.Notify(1);
}

void StepQueue::Here::Run(int64_t nanos) {
  if (!pushed_ || runs_here.exchange(true, std::memory_order_acquire)) return;
  const int64_t end = NowNanos() + nanos;
  do {
    pushed_ = false;
    DrivenStep* step = queue_.Pop();
    if (!step) break;
    pushed_ = true;  // there may be more
    step->Run();
  } while (NowNanos() < end);
  runs_here.store(false, std::memory_order_release);
}

// A worker of the pool that runs what is in the queue and leaves.
struct StepQueue::Helper : Task {
  explicit Helper(StepQueue& q) : queue(q) {
    run = [](Task* task) {
      std::unique_ptr<Helper> own(static_cast<Helper*>(task));
      StepQueue& queue = own->queue;
      while (DrivenStep* step = queue.Pop()) step->Run();
      // The last touch: the queue may be gone right after.
      queue.helpers_.fetch_sub(1, std::memory_order_release);
    };
  }
  StepQueue& queue;
};

StepQueue::~StepQueue() {
  while (helpers_.load(std::memory_order_acquire) != 0) SpinPause();
}

void StepQueue::Push(DrivenStep& step) {
  bool several = false;
  {
    MutexLock lock(mu_);
    step.next_ = nullptr;
    several = first_ != nullptr;
    (several ? last_->next_ : first_) = &step;
    last_ = &step;
  }
  if (here && &here->queue_ == this) {
    here->pushed_ = true;
    return;
  }
  event_.Notify(1);
  // One is for whoever waits.
  if (!several || !pool_ || !pool_->has_idle()) return;
  helpers_.fetch_add(1, std::memory_order_relaxed);
  try {
    pool_->Submit(std::make_unique<Helper>(*this).release());
  } catch (...) {
    helpers_.fetch_sub(1, std::memory_order_relaxed);
  }
}

DrivenStep* StepQueue::Pop() {
  MutexLock lock(mu_);
  DrivenStep* step = first_;
  if (step) first_ = step->next_;
  return step;
}

void StepQueue::HelpUntil(const std::function<bool()>& done) {
  while (!done()) {
    DrivenStep* step = Pop();
    if (!step) {
      uint32_t seen = event_.Prepare();
      step = Pop();
      if (step || done()) {
        event_.Cancel();
      } else {
        event_.Wait(seen);
      }
    }
    if (step) step->Run();
  }
  // What was pushed for us may be for somebody who sleeps.
  event_.Notify(1);
}

void DrivenStep::Wake() {
  State state = state_.load(std::memory_order_acquire);
  for (;;) {
    State next = state == State::kAsleep ? State::kQueued : State::kAgain;
    if (state == State::kQueued || state == State::kAgain) return;
    if (state_.compare_exchange_weak(state, next, std::memory_order_acq_rel)) {
      if (next == State::kQueued) queue_.Push(*this);
      return;
    }
  }
}

void DrivenStep::Run() {
  for (;;) {
    state_.store(State::kRuns, std::memory_order_release);
    Step::Ran ran = step_.RunReady();
    if (ran == Step::Ran::kTurn) {
      state_.store(State::kQueued, std::memory_order_release);
      return queue_.Push(*this);
    }
    if (ran == Step::Ran::kAll) {
      // Nobody wakes it any more, and it may be gone when this returns.
      Quiet quiet = std::move(quiet_);
      quiet();
      return;
    }
    State runs = State::kRuns;
    if (state_.compare_exchange_strong(runs, State::kAsleep,
                                       std::memory_order_acq_rel)) {
      return;
    }
  }
}

}  // namespace sluice
