// Queue: a bounded queue of elements between steps. Enqueue waits while it is
// full and dequeue while it is empty, without blocking a thread; both are
// served in order of arrival. The store determines the order of the elements
// (queue_store.h).
//
// After Close, earlier enqueues still complete unless they are cancelled, and
// later ones are refused. Dequeues receive the remaining elements. When no more
// can come, dequeues that need more fail and return the elements they had
// gathered. A dequeue that is cancelled or lacks memory for its batch returns
// its elements, too. Returning needs no memory, so no element is lost.
//
// Thread safe. Replies are called without locks, on the thread that made them
// possible. Handles and the cancellations it waits on keep the queue alive.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/state/queue_spec.h"
#include "sluice/state/queue_store.h"
#include "sluice/state/waiting.h"

namespace sluice {

class Queue : public WaitingResource {
 public:
  static constexpr char kKind[] = "queue";
  const void* tag() const override { return kKind; }

  // `session_seed` is used by a shuffle queue whose own seed is 0.
  static Result<Ref<Queue>> Make(std::string name, QueueSpec spec,
                                 uint64_t session_seed = 0);
  // REQUIRES: `spec` has passed Check().
  Queue(std::string name, QueueSpec spec, uint64_t session_seed);

  const QueueSpec& spec() const { return spec_; }
  // `queue "q"`, for messages.
  std::string who() const { return "queue \"" + name() + "\""; }

  // Enqueues one element, or a batch, element by element, so a batch may be
  // larger than the capacity. `parts` are not kept after the call.
  void Enqueue(std::span<const Array> parts, Cancellation* c, Reply reply);
  void EnqueueMany(std::span<const Array> parts, Cancellation* c, Reply reply);

  // Dequeues one element, or n elements as a batch. With `up_to`, a closed
  // queue may return fewer, but at least one.
  void Dequeue(Cancellation* c, Reply reply);
  void DequeueMany(int64_t n, bool up_to, Cancellation* c, Reply reply);

  // Closing again has no effect, except that it can cancel pending operations.
  void Close(bool cancel_pending);
  bool closed() const;
  // Number of elements, without those already gathered by a waiting dequeue.
  int64_t size() const;

 protected:
  ~Queue() override;
  void CancelWaiter(uint64_t id) noexcept override;

 private:
  struct PendingEnqueue {
    Waiter waiter;
    std::vector<Element> elements;
    size_t next = 0;  // the first that is not in the queue yet
  };
  struct PendingDequeue {
    Waiter waiter;
    int64_t wanted = 1;
    bool batch = false;
    bool up_to = false;
    std::vector<Element> taken;
    int64_t missing() const {
      return wanted - static_cast<int64_t>(taken.size());
    }
  };

  void Submit(PendingEnqueue pending);
  void Submit(PendingDequeue pending);
  // Moves elements and answers waiters until nothing more can be done. A waiter
  // that runs out of memory receives that error; the others continue.
  void Flush(Replies& replies) noexcept SL_REQUIRES(mu_);
  bool MoveIn(Replies& replies) SL_REQUIRES(mu_);
  bool MoveOut(Replies& replies) SL_REQUIRES(mu_);
  void Finish(PendingDequeue done, Replies& replies) SL_REQUIRES(mu_);
  void Fail(PendingDequeue failed, Replies& replies) SL_REQUIRES(mu_);
  // Answers with an error, after the gathered elements have been returned.
  void GiveUp(PendingDequeue failed, Replies& replies, Status why)
      SL_REQUIRES(mu_);
  // Returns the elements of a batch that could not be completed.
  void Return(std::vector<Element> elements) noexcept;
  void Settle(int64_t n) noexcept;
  int64_t room() const SL_REQUIRES(mu_);
  bool drained() const SL_REQUIRES(mu_) { return closed_ && enqueues_.empty(); }

  const QueueSpec spec_;
  mutable Mutex mu_;
  std::unique_ptr<QueueStore> store_ SL_GUARDED_BY(mu_);
  WaitLine<PendingEnqueue> enqueues_ SL_GUARDED_BY(mu_);
  WaitLine<PendingDequeue> dequeues_ SL_GUARDED_BY(mu_);
  uint64_t sequence_ SL_GUARDED_BY(mu_) = 0;
  bool closed_ SL_GUARDED_BY(mu_) = false;
};

}  // namespace sluice
