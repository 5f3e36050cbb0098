#include "sluice/base/interruption.h"

#include <utility>
#include <vector>

namespace sluice {

namespace {

thread_local constinit Interruption* current = nullptr;

}  // namespace

constinit std::atomic<void (*)()> Interruption::step_begins{nullptr};

Interruption* Interruption::Current() { return current; }

Interruption* Interruption::SetCurrent(Interruption* now) {
  return std::exchange(current, now);
}

Status Interruption::Why() { return Cancelled("interrupted"); }

void Interruption::CancelSteps() {
  if (!requested()) return;
  // Callbacks of a step may run when it is cancelled: do not hold the lock.
  std::vector<std::shared_ptr<Cancellation>> steps;
  {
    MutexLock lock(mu_);
    for (Running* r = innermost_; r; r = r->outer_) steps.push_back(r->step_);
  }
  for (auto& step : steps) step->Cancel(Why());
}

Interruption::Running::Running(const std::shared_ptr<Cancellation>& step)
    : owner_(current) {
  if (!owner_) return;
  if (void (*begins)() = step_begins.load(std::memory_order_relaxed)) begins();
  step_ = step;
  {
    MutexLock lock(owner_->mu_);
    outer_ = std::exchange(owner_->innermost_, this);
  }
  // It may have been requested just before.
  if (owner_->requested()) step_->Cancel(Why());
}

Interruption::Running::~Running() {
  if (!owner_) return;
  MutexLock lock(owner_->mu_);
  owner_->innermost_ = outer_;
}

}  // namespace sluice
