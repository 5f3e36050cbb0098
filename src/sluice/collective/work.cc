#include "sluice/collective/work.h"

#include <chrono>
#include <condition_variable>

#include "sluice/base/interruption.h"
#include "sluice/base/thread_annotations.h"

namespace sluice::collective {

struct Work::State {
  Mutex mu;
  std::condition_variable_any ended;
  bool done SL_GUARDED_BY(mu) = false;
  Status status SL_GUARDED_BY(mu);
  std::function<void(const Status&)> then SL_GUARDED_BY(mu);
};

std::shared_ptr<Work::State> Work::NewState() {
  return std::make_shared<State>();
}

void Work::Finish(State& state, Status status) {
  std::function<void(const Status&)> then;
  {
    MutexLock lock(state.mu);
    state.done = true;
    state.status = status;
    then = std::move(state.then);
    state.ended.notify_all();
  }
  if (then) then(status);
}

void Work::Then(std::function<void(const Status&)> callback) const {
  Status now;
  if (state_) {
    MutexLock lock(state_->mu);
    if (!state_->done) {
      state_->then = std::move(callback);
      return;
    }
    now = state_->status;
  }
  callback(now);
}

Work Work::Failed(Status status) {
  auto state = NewState();
  Finish(*state, std::move(status));
  return Work(std::move(state));
}

Status Work::Wait() const {
  if (!state_) return OkStatus();
  MutexLock lock(state_->mu);
  while (!state_->done) {
    // Ctrl-C is polled: a signal wakes no thread.
    state_->ended.wait_for(state_->mu, std::chrono::milliseconds(50));
    if (!state_->done) SL_RETURN_IF_ERROR(Interruption::Check());
  }
  return state_->status;
}

bool Work::done() const {
  if (!state_) return true;
  MutexLock lock(state_->mu);
  return state_->done;
}

Status Work::status() const {
  if (!state_) return OkStatus();
  MutexLock lock(state_->mu);
  return state_->status;
}

}  // namespace sluice::collective
