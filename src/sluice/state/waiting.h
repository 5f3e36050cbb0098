// Waiting without a thread. An operation that cannot finish yet leaves a Waiter
// with the resource and returns; whoever makes it possible (or the step's
// cancellation) takes the waiter out of its line under the resource's lock and
// answers it after the lock is gone. A waiter is in one line or in none, and
// only who takes it out answers it: that is why there is exactly one answer.
//
// Lock order: a resource's lock before a Cancellation's. Destructors of
// resources take no lock, as the last reference may go under a Cancellation's.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sluice/base/cancellation.h"
#include "sluice/base/status.h"
#include "sluice/state/named_resource.h"
#include "sluice/tensor/array.h"

namespace sluice {

// Called once, from any thread, with no lock held: the outputs or an error.
using Reply = std::function<void(Status, std::vector<Array>)>;

// REQUIRES: `cancellation`, when not null, lives until the reply is called.
struct Waiter {
  Waiter() = default;
  Waiter(Cancellation* c, Reply r) : cancellation(c), reply(std::move(r)) {}

  Cancellation* cancellation = nullptr;
  Reply reply;
  uint64_t id = 0;                // set by WaitingResource::Watch
  Cancellation::Token token = 0;  // 0: not registered
};

// Answers gathered under a lock and given when this goes out of scope. Declare
// it before the lock, so that it outlives it:
//   Replies replies;
//   MutexLock lock(mu_);
class Replies {
 public:
  Replies() = default;
  Replies(const Replies&) = delete;
  Replies& operator=(const Replies&) = delete;
  ~Replies();

  // `finish`, when given, runs first: for copies too long for a lock.
  void Add(Waiter waiter, Status status, std::vector<Array> outputs = {},
           std::function<void()> finish = nullptr);
  // Answers Cancelled "<what> was cancelled: <why the step was>".
  void AddCancelled(Waiter waiter, std::string what);

 private:
  struct Entry {
    Waiter waiter;
    Status status;
    std::vector<Array> outputs;
    std::function<void()> finish;
    std::string cancelled;  // what was, when the step was cancelled
  };
  std::vector<Entry> entries_;
};

// A line of pending operations, first come, first served. W has a member
// `Waiter waiter`. Guarded by the resource's lock.
template <class W>
class WaitLine {
 public:
  bool empty() const { return line_.empty(); }
  size_t size() const { return line_.size(); }
  W& front() { return line_.front(); }
  void push(W w) { line_.push_back(std::move(w)); }
  W pop() {
    W w = std::move(line_.front());
    line_.pop_front();
    return w;
  }
  // The operation of that waiter, taken out of the line, if it is still there.
  std::optional<W> Remove(uint64_t id) {
    for (auto it = line_.begin(); it != line_.end(); ++it) {
      if (it->waiter.id != id) continue;
      W w = std::move(*it);
      line_.erase(it);
      return w;
    }
    return std::nullopt;
  }

 private:
  std::deque<W> line_;
};

class WaitingResource : public NamedResource {
 public:
  using NamedResource::NamedResource;

 protected:
  // Gives the waiter its id and has CancelWaiter(id) called when its step is
  // cancelled. False: it is cancelled already. Only for those who cannot finish
  // at once; called with the resource's lock held, which makes a cancellation
  // that comes now wait until the waiter is in its line.
  bool Watch(Waiter& waiter);

  // Takes the waiter out of its line and answers it, if it is still there.
  virtual void CancelWaiter(uint64_t id) = 0;

 private:
  uint64_t last_id_ = 0;  // guarded by the resource's lock
};

}  // namespace sluice
