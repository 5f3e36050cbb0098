// Work: a collective in progress. A handle, copied freely; its state lives
// until the collective has ended and the last handle is gone.
//
// Thread safe.
#pragma once

#include <functional>
#include <memory>

#include "sluice/base/status.h"

namespace sluice::collective {

class Work {
 public:
  struct State;

  Work() = default;
  explicit Work(std::shared_ptr<State> state) : state_(std::move(state)) {}
  static Work Failed(Status status);
  // For the thread that performs the collective.
  static std::shared_ptr<State> NewState();
  static void Finish(State& state, Status status);

  // Waits until it has ended; then the arrays may be used again. Returns
  // Cancelled if the thread is interrupted; the collective continues.
  Status Wait() const;
  // Calls `callback` when the work has ended, on the thread that ended it, or
  // at once if it has ended already. At most one callback.
  void Then(std::function<void(const Status&)> callback) const;
  bool done() const;
  Status status() const;  // OK while in progress

 private:
  std::shared_ptr<State> state_;
};

}  // namespace sluice::collective
