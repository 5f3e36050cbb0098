// Waiting without a thread. An operation that cannot finish yet leaves a Waiter
// with the resource and returns. The operation that makes it possible, or the
// cancellation of the step, removes the waiter from its line under the lock of
// the resource and answers it after releasing the lock. A waiter is in at most
// one line, and only the code that removes it answers it. Therefore it gets
// exactly one answer, even without memory.
//
// Lock order: the lock of a resource before that of a Cancellation. Destructors
// of resources take no lock, because the last reference may be dropped under a
// Cancellation's lock.
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

// Called once, from any thread, without locks, with the outputs or an error.
using Reply = std::function<void(Status, std::vector<Array>)>;

// The future reply of a waiter. It is allocated together with the waiter, so
// that answering needs no memory: a waiting operation can always be answered.
struct PendingReply {
  Reply reply;
  Status status;
  std::vector<Array> outputs;
  std::function<void()> finish;
  bool cancelled = false;
  std::string what;  // the operation that was cancelled
  Cancellation* cancellation = nullptr;
  Cancellation::Token token = 0;
  std::unique_ptr<PendingReply> next;  // in Replies
};

// REQUIRES: `cancellation`, if not null, lives until the reply is called.
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

// Replies gathered under a lock and sent when this goes out of scope. Declare
// it before the lock, so that it outlives the lock:
//   Replies replies;
//   MutexLock lock(mu_);
// Never throws: if there is no memory for the proper answer, the answer says
// so.
class Replies {
 public:
  Replies() = default;
  Replies(const Replies&) = delete;
  Replies& operator=(const Replies&) = delete;
  ~Replies();

  // `finish`, if set, runs first: for copies that take too long under a lock.
  void Add(Waiter waiter, Status status, std::vector<Array> outputs = {},
           std::function<void()> finish = nullptr) noexcept;
  // Answers with the Status that make() returns.
  template <class F>
  void AddError(Waiter waiter, const F& make) noexcept {
    Status status = Guarded([&]() -> Status { return make(); });
    Add(std::move(waiter), std::move(status));
  }
  // Answers Cancelled "<what> was cancelled: <why the step was>"; `what` is a
  // function that returns the text.
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
// `Waiter waiter`. Guarded by the lock of the resource.
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
  // Removes and returns the operation of that waiter if it is still in the
  // line.
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
  // Puts an operation into its line and, unless it can finish `now`, arranges
  // that CancelWaiter is called when its step is cancelled. Returns the
  // operation if the step is already cancelled. Called with the lock of the
  // resource held; a concurrent cancellation waits for that lock. If it throws,
  // the operation is in no line, and the caller answers it.
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

  // Removes the waiter from its line and answers it, if it is still there.
  virtual void CancelWaiter(uint64_t id) noexcept = 0;

 private:
  // Assigns an id to the waiter. False: its step is already cancelled.
  bool Watch(Waiter& waiter);

  uint64_t last_id_ = 0;  // guarded by the resource's lock
};

}  // namespace sluice
