// Waiting without a thread. An operation that cannot finish yet leaves a Waiter
// with the resource and returns; whoever makes it possible (or the step's
// cancellation) takes the waiter out of its line under the resource's lock and
// answers it after the lock is gone. A waiter is in one line or in none, and
// only who takes it out answers it: that is why there is exactly one answer,
// also when there is no memory.
//
// Lock order: a resource's lock before a Cancellation's. Destructors of
// resources take no lock, as the last reference may go under a Cancellation's.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sluice/base/cancellation.h"
#include "sluice/base/caught.h"
#include "sluice/base/status.h"
#include "sluice/state/named_resource.h"
#include "sluice/tensor/array.h"

namespace sluice {

// Called once, from any thread, with no lock held: the outputs or an error.
using Reply = std::function<void(Status, std::vector<Array>)>;

// What a waiter will be told. Made together with the waiter, so that answering
// needs no memory: an operation that has begun to wait can always be answered.
struct PendingReply {
  Reply reply;
  Status status;
  std::vector<Array> outputs;
  std::function<void()> finish;
  bool cancelled = false;
  std::string what;  // was cancelled
  Cancellation* cancellation = nullptr;
  Cancellation::Token token = 0;
  std::unique_ptr<PendingReply> next;  // in Replies
};

// REQUIRES: `cancellation`, when not null, lives until the reply is called.
struct Waiter {
  Waiter() = default;
  Waiter(Cancellation* c, Reply r)
      : cancellation(c), answer(std::make_unique<PendingReply>()) {
    answer->reply = std::move(r);
  }

  Cancellation* cancellation = nullptr;
  std::unique_ptr<PendingReply> answer;
  uint64_t id = 0;                // set by WaitingResource::Watch
  Cancellation::Token token = 0;  // 0: not registered
};

// Answers gathered under a lock and given when this goes out of scope. Declare
// it before the lock, so that it outlives it:
//   Replies replies;
//   MutexLock lock(mu_);
// Nothing here throws: where there is no memory to say what happened, the
// answer is that.
class Replies {
 public:
  Replies() = default;
  Replies(const Replies&) = delete;
  Replies& operator=(const Replies&) = delete;
  ~Replies();

  // `finish`, when given, runs first: for copies too long for a lock.
  void Add(Waiter waiter, Status status, std::vector<Array> outputs = {},
           std::function<void()> finish = nullptr) noexcept;
  // Answers with the Status that make() gives.
  template <class F>
  void AddError(Waiter waiter, const F& make) noexcept {
    Status status = Guarded([&]() -> Status { return make(); });
    Add(std::move(waiter), std::move(status));
  }
  // Answers Cancelled "<what> was cancelled: <why the step was>"; `what` gives
  // its text when called.
  template <class F>
  void AddCancelled(Waiter waiter, const F& what) noexcept {
    waiter.answer->cancelled = true;
    try {
      waiter.answer->what = what();
    } catch (...) {
      waiter.answer->what.clear();
    }
    Add(std::move(waiter), OkStatus());
  }

 private:
  std::unique_ptr<PendingReply> first_;
  PendingReply* last_ = nullptr;
};

// A line of pending operations, first come, first served. W has a member
// `Waiter waiter`. Guarded by the resource's lock.
template <class W>
class WaitLine {
 public:
  bool empty() const { return line_.empty(); }
  size_t size() const { return line_.size(); }
  W& front() { return line_.front(); }
  W& push(W w) { return line_.emplace_back(std::move(w)); }
  W pop() {
    W w = std::move(line_.front());
    line_.pop_front();
    return w;
  }
  W pop_last() {
    W w = std::move(line_.back());
    line_.pop_back();
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
  // Puts an operation into its line and, unless it can finish `now`, has
  // CancelWaiter called when its step is cancelled. Gives it back when that is
  // so already. Called with the resource's lock held, which makes a
  // cancellation that comes now wait until that is gone. When it throws, it is
  // in no line, and whoever called answers it.
  template <class W>
  std::optional<W> Wait(WaitLine<W>& line, W pending, bool now) {
    Waiter& waiter = line.push(std::move(pending)).waiter;
    if (now) return std::nullopt;
    bool watched = false;
    try {
      watched = Watch(waiter);
    } catch (...) {
      line.pop_last();
      throw;
    }
    if (watched) return std::nullopt;
    return line.pop_last();
  }

  // Takes the waiter out of its line and answers it, if it is still there.
  virtual void CancelWaiter(uint64_t id) noexcept = 0;

 private:
  // Gives the waiter its id. False: its step is cancelled already.
  bool Watch(Waiter& waiter);

  uint64_t last_id_ = 0;  // guarded by the resource's lock
};

}  // namespace sluice
