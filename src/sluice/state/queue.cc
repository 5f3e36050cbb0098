#include "sluice/state/queue.h"

#include <algorithm>
#include <limits>

#include "sluice/base/strings.h"
#include "sluice/state/splitmix.h"

namespace sluice {

namespace {

std::unique_ptr<QueueStore> MakeStore(const QueueSpec& spec,
                                      const std::string& name,
                                      uint64_t session_seed) {
  switch (spec.order) {
    case QueueOrder::kShuffle: {
      // Without an explicit seed a queue mixes in its name, so that two queues
      // of one program shuffle differently.
      uint64_t seed = spec.seed != 0 ? static_cast<uint64_t>(spec.seed)
                                     : MixBits(session_seed) ^ HashText(name);
      return MakeShuffleStore(spec.min_after_dequeue, seed);
    }
    case QueueOrder::kPriority:
      return MakePriorityStore();
    case QueueOrder::kFifo:
    case QueueOrder::kPadding:
      break;
  }
  return MakeFifoStore();
}

}  // namespace

Result<Ref<Queue>> Queue::Make(std::string name, QueueSpec spec,
                               uint64_t session_seed) {
  SL_RETURN_IF_ERROR(spec.Check());
  return MakeRef<Queue>(std::move(name), std::move(spec), session_seed);
}

Queue::Queue(std::string name, QueueSpec spec, uint64_t session_seed)
    : WaitingResource(std::move(name), spec.ToString()),
      spec_(std::move(spec)),
      store_(MakeStore(spec_, this->name(), session_seed)) {}

Queue::~Queue() {
  // Only waiters without a cancellation can be left: the others keep the queue
  // alive. They are answered, too. Nobody else can access the queue: no lock.
  Replies replies;
  while (!enqueues_.empty()) {
    replies.AddCancelled(enqueues_.pop().waiter,
                         [&] { return StrCat("enqueue on ", who()); });
  }
  while (!dequeues_.empty()) {
    replies.AddCancelled(dequeues_.pop().waiter,
                         [&] { return StrCat("dequeue on ", who()); });
  }
}

void Queue::Enqueue(std::span<const Array> parts, Cancellation* c,
                    Reply reply) {
  Result<Element> element = MakeElement(spec_.tuple, parts, who());
  if (!element.ok()) return reply(element.status(), {});
  PendingEnqueue pending{{c, std::move(reply)}, {}};
  pending.elements.push_back(std::move(*element));
  Submit(std::move(pending));
}

void Queue::EnqueueMany(std::span<const Array> parts, Cancellation* c,
                        Reply reply) {
  Result<std::vector<Element>> elements = SplitBatch(spec_.tuple, parts, who());
  if (!elements.ok()) return reply(elements.status(), {});
  Submit(PendingEnqueue{{c, std::move(reply)}, std::move(*elements)});
}

void Queue::Dequeue(Cancellation* c, Reply reply) {
  Submit(PendingDequeue{{c, std::move(reply)}, 1, false, false, {}});
}

void Queue::DequeueMany(int64_t n, bool up_to, Cancellation* c, Reply reply) {
  if (n < 0) {
    return reply(InvalidArgument(StrCat("n is ", n, "; wanted 0 or more")), {});
  }
  for (int i = 0; i < spec_.tuple.size(); ++i) {
    if (CanBatch(spec_.tuple.shape(i), spec_.pads())) continue;
    return reply(
        InvalidArgument(
            StrCat(who(), " knows component ", i, " as ",
                   TypeText(spec_.tuple.dtypes[static_cast<size_t>(i)],
                            spec_.tuple.shape(i)),
                   "; wanted ",
                   spec_.pads() ? "room for one more axis" : "all sizes known",
                   ", to put elements into a batch")),
        {});
  }
  Submit(PendingDequeue{{c, std::move(reply)}, n, true, up_to, {}});
}

void Queue::Submit(PendingEnqueue pending) {
  auto count = static_cast<int64_t>(pending.elements.size());
  Replies replies;
  MutexLock lock(mu_);
  if (closed_) {
    return replies.AddError(std::move(pending.waiter), [&] {
      return Cancelled(StrCat(who(), " is closed"));
    });
  }
  bool now = enqueues_.empty() && room() >= count;
  if (auto refused = Wait(enqueues_, std::move(pending), now)) {
    return replies.AddCancelled(std::move(refused->waiter),
                                [&] { return StrCat("enqueue on ", who()); });
  }
  Flush(replies);
}

void Queue::Submit(PendingDequeue pending) {
  Replies replies;
  MutexLock lock(mu_);
  bool now = dequeues_.empty() &&
             (drained() || store_->ready(false) >= pending.wanted);
  if (auto refused = Wait(dequeues_, std::move(pending), now)) {
    return replies.AddCancelled(std::move(refused->waiter),
                                [&] { return StrCat("dequeue on ", who()); });
  }
  Flush(replies);
}

void Queue::Close(bool cancel_pending) {
  Replies replies;
  MutexLock lock(mu_);
  closed_ = true;
  while (cancel_pending && !enqueues_.empty()) {
    replies.AddError(enqueues_.pop().waiter, [&] {
      return Cancelled(StrCat("enqueue was cancelled: ", who(),
                              " was closed with cancel_pending"));
    });
  }
  Flush(replies);
}

void Queue::CancelWaiter(uint64_t id) noexcept {
  Replies replies;
  MutexLock lock(mu_);
  if (auto e = enqueues_.Remove(id)) {
    // Elements that are already in stay in: others may have taken them.
    replies.AddCancelled(std::move(e->waiter),
                         [&] { return StrCat("enqueue on ", who()); });
  } else if (auto d = dequeues_.Remove(id)) {
    store_->PutBack(std::move(d->taken));
    replies.AddCancelled(std::move(d->waiter),
                         [&] { return StrCat("dequeue on ", who()); });
  }
  Flush(replies);
}

void Queue::Flush(Replies& replies) noexcept {
  bool moved = true;
  while (moved) {
    moved = MoveIn(replies);
    moved = MoveOut(replies) || moved;
  }
}

bool Queue::MoveIn(Replies& replies) {
  bool moved = false;
  while (!enqueues_.empty()) {
    PendingEnqueue& e = enqueues_.front();
    // Runs immediately, under the lock, which the analysis does not see.
    Status status = Guarded([&]() SL_NO_THREAD_SAFETY_ANALYSIS -> Status {
      for (; e.next < e.elements.size() && room() > 0; ++e.next) {
        e.elements[e.next].sequence = sequence_++;
        store_->Push(std::move(e.elements[e.next]));
        moved = true;
      }
      return OkStatus();
    });
    if (status.ok() && e.next < e.elements.size()) break;
    replies.Add(enqueues_.pop().waiter, std::move(status));
    moved = true;
  }
  return moved;
}

bool Queue::MoveOut(Replies& replies) {
  bool moved = false;
  while (!dequeues_.empty()) {
    PendingDequeue& d = dequeues_.front();
    bool last = drained();
    int64_t ready = std::min(store_->ready(last), d.missing());
    // All at once when all are available: an incomplete batch takes no
    // elements, so none must be returned, unless enqueues would otherwise be
    // stuck.
    bool stuck = room() <= 0 && !enqueues_.empty();
    if (ready >= d.missing() || stuck || last) {
      Status status = Guarded([&]() SL_NO_THREAD_SAFETY_ANALYSIS -> Status {
        // Memory first: elements removed from the store must have a place.
        d.taken.reserve(d.taken.size() + static_cast<size_t>(ready));
        return OkStatus();
      });
      if (!status.ok()) {
        GiveUp(dequeues_.pop(), replies, status);
        moved = true;
        continue;
      }
      for (; ready > 0; --ready) {
        d.taken.push_back(store_->Pop());
        moved = true;
      }
    }
    bool enough = d.missing() == 0 || (last && d.up_to && !d.taken.empty());
    if (enough) {
      Finish(dequeues_.pop(), replies);
    } else if (last) {
      Fail(dequeues_.pop(), replies);
    } else {
      break;
    }
    moved = true;
  }
  return moved;
}

namespace {

// A batch and its elements, until it is filled.
struct Filling {
  std::vector<Element> elements;
  std::vector<Array> batch;
};

}  // namespace

void Queue::Finish(PendingDequeue done, Replies& replies) {
  if (!done.batch) {
    store_->Settle(1);
    return replies.Add(std::move(done.waiter), OkStatus(),
                       std::move(done.taken[0].parts));
  }
  std::vector<Array> outputs;
  std::function<void()> finish;
  Status status = Guarded([&]() SL_NO_THREAD_SAFETY_ANALYSIS -> Status {
    store_->Arrange(done.taken);
    auto filling = std::make_shared<Filling>();
    finish = [filling, queue = Ref<Queue>::Share(this)] {
      auto n = static_cast<int64_t>(filling->elements.size());
      try {
        FillBatch(filling->elements, filling->batch);  // copies texts
      } catch (...) {
        queue->Return(std::move(filling->elements));
        throw;
      }
      queue->Settle(n);
    };
    SL_ASSIGN_OR_RETURN(filling->batch,
                        AllocateBatch(spec_.tuple, spec_.pads(), done.taken));
    outputs = filling->batch;
    filling->elements = std::move(done.taken);  // last: it cannot fail
    return OkStatus();
  });
  if (!status.ok()) return GiveUp(std::move(done), replies, std::move(status));
  replies.Add(std::move(done.waiter), OkStatus(), std::move(outputs),
              std::move(finish));
}

void Queue::Fail(PendingDequeue failed, Replies& replies) {
  int64_t wanted = failed.wanted;
  int64_t size = store_->size() + static_cast<int64_t>(failed.taken.size());
  Status why = Guarded([&]() SL_NO_THREAD_SAFETY_ANALYSIS -> Status {
    return OutOfRange(
        StrCat(who(), " is closed and has insufficient elements (requested ",
               wanted, ", current size ", size, ")"));
  });
  GiveUp(std::move(failed), replies, std::move(why));
}

void Queue::GiveUp(PendingDequeue failed, Replies& replies, Status why) {
  store_->PutBack(std::move(failed.taken));
  replies.Add(std::move(failed.waiter), std::move(why));
}

void Queue::Return(std::vector<Element> elements) noexcept {
  Replies replies;
  MutexLock lock(mu_);
  store_->PutBack(std::move(elements));
  Flush(replies);
}

void Queue::Settle(int64_t n) noexcept {
  MutexLock lock(mu_);
  store_->Settle(n);
}

int64_t Queue::room() const {
  if (spec_.capacity < 0) return std::numeric_limits<int64_t>::max();
  return spec_.capacity - store_->size();
}

bool Queue::closed() const {
  MutexLock lock(mu_);
  return closed_;
}

int64_t Queue::size() const {
  MutexLock lock(mu_);
  return store_->size();
}

}  // namespace sluice
