#include "sluice/collective/work.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "sluice/base/interruption.h"

namespace sluice::collective {

struct Work::State {
  std::mutex mu;  // guards what follows
  std::condition_variable ended;
  bool done = false;
  Status status;
  std::function<void(const Status&)> then;
};

std::shared_ptr<Work::State> Work::NewState() {
  return std::make_shared<State>();
}

void Work::Finish(State& state, Status status) {
  std::function<void(const Status&)> then;
  {
    std::lock_guard lock(state.mu);
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
    std::lock_guard lock(state_->mu);
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
  std::unique_lock lock(state_->mu);
  while (!state_->done) {
    // Ctrl-C is asked for now and then: a signal wakes no thread.
    state_->ended.wait_for(lock, std::chrono::milliseconds(50));
    if (!state_->done) SL_RETURN_IF_ERROR(Interruption::Check());
  }
  return state_->status;
}

bool Work::done() const {
  if (!state_) return true;
  std::lock_guard lock(state_->mu);
  return state_->done;
}

Status Work::status() const {
  if (!state_) return OkStatus();
  std::lock_guard lock(state_->mu);
  return state_->status;
}

}  // namespace sluice::collective
