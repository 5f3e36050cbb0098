// Work: a collective that was begun. A handle, copied freely; what is behind it
// lives until the collective has ended and the last handle is gone.
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
  // For who does the work.
  static std::shared_ptr<State> NewState();
  static void Finish(State& state, Status status);

  // Until it has ended; the arrays may be used again then. Cancelled where the
  // thread is interrupted, and the collective goes on.
  Status Wait() const;
  // Calls it when the work has ended, on the thread that ended it, or now where
  // that was before. One at most.
  void Then(std::function<void(const Status&)> callback) const;
  bool done() const;
  Status status() const;  // OK while it is under way

 private:
  std::shared_ptr<State> state_;
};

}  // namespace sluice::collective
