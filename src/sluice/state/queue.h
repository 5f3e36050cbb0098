// Queue: a bounded line of elements between steps. Enqueues wait while it is
// full and dequeues while it is empty, without holding a thread; both are
// served in the order they came. What order the elements come out in is the
// store's business (queue_store.h).
//
// Closing: enqueues that came before still go in (unless they are cancelled),
// later ones are refused; dequeues get what is left, and when nothing more can
// come, those that want more than there is fail and what they had gathered goes
// back. So does what one had gathered that is cancelled or for whose batch
// there is no memory; going back needs none, so nothing is lost.
//
// Thread safe. Replies are called with no lock held, on whichever thread made
// them possible. Kept alive by handles and by the cancellations it waits on.
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

  // `session_seed` matters to a shuffle queue whose own seed is 0.
  static Result<Ref<Queue>> Make(std::string name, QueueSpec spec,
                                 uint64_t session_seed = 0);
  // REQUIRES: a spec that Check() has passed.
  Queue(std::string name, QueueSpec spec, uint64_t session_seed);

  const QueueSpec& spec() const { return spec_; }
  // `queue "q"`, for messages.
  std::string who() const { return "queue \"" + name() + "\""; }

  // One element; and a batch, which goes in element after element, so it may
  // be larger than the capacity. `parts` are not kept beyond the call.
  void Enqueue(std::span<const Array> parts, Cancellation* c, Reply reply);
  void EnqueueMany(std::span<const Array> parts, Cancellation* c, Reply reply);

  // One element; and n of them as a batch. With `up_to`, a queue that is closed
  // gives fewer, but never none.
  void Dequeue(Cancellation* c, Reply reply);
  void DequeueMany(int64_t n, bool up_to, Cancellation* c, Reply reply);

  // Closing twice changes nothing, except to cancel what is still pending.
  void Close(bool cancel_pending);
  bool closed() const;
  // Elements inside, not counting those a waiting dequeue has gathered.
  int64_t size() const;

 protected:
  ~Queue() override;
  void CancelWaiter(uint64_t id) noexcept override;

 private:
  struct PendingEnqueue {
    Waiter waiter;
    std::vector<Element> elements;
    size_t next = 0;  // the first that is not in yet
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
  // Moves elements and answers waiters until nothing more can happen. Who has
  // no memory to go on is told so, and the others go on.
  void Flush(Replies& replies) noexcept SL_REQUIRES(mu_);
  bool MoveIn(Replies& replies) SL_REQUIRES(mu_);
  bool MoveOut(Replies& replies) SL_REQUIRES(mu_);
  void Finish(PendingDequeue done, Replies& replies) SL_REQUIRES(mu_);
  void Fail(PendingDequeue failed, Replies& replies) SL_REQUIRES(mu_);
  // Answers with an error, after what was gathered is back.
  void GiveUp(PendingDequeue failed, Replies& replies, Status why)
      SL_REQUIRES(mu_);
  // Elements of a batch that could not be filled.
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
