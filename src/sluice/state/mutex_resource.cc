#include "sluice/state/mutex_resource.h"

#include "sluice/base/strings.h"

namespace sluice {

MutexResource::~MutexResource() {
  Replies replies;
  while (!line_.empty()) {
    replies.AddCancelled(line_.pop().waiter, [&] { return what(); });
  }
}

void MutexResource::Acquire(Cancellation* c, Reply reply) {
  Pending pending{{c, std::move(reply)}};
  Replies replies;
  MutexLock lock(mu_);
  // Nobody waits while the lock is free.
  if (auto refused = Wait(line_, std::move(pending), holder_ == 0)) {
    return replies.AddCancelled(std::move(refused->waiter),
                                [&] { return what(); });
  }
  GrantNext(replies);
}

Status MutexResource::Unlock(int64_t ticket) {
  Replies replies;
  MutexLock lock(mu_);
  if (holder_ == 0 || ticket != holder_) {
    return FailedPrecondition(
        StrCat("ticket ", ticket, " does not hold mutex \"", name(), "\"; ",
               holder_ == 0 ? std::string("nobody does")
                            : StrCat("ticket ", holder_, " does")));
  }
  holder_ = 0;
  GrantNext(replies);
  return OkStatus();
}

void MutexResource::GrantNext(Replies& replies) {
  while (holder_ == 0 && !line_.empty()) {
    std::vector<Array> ticket;
    // Runs immediately, under the lock, which the analysis does not see.
    Status status = Guarded([&]() SL_NO_THREAD_SAFETY_ANALYSIS -> Status {
      ticket.push_back(Array::Scalar<int64_t>(last_ticket_ + 1));
      return OkStatus();
    });
    // Only the receiver of the ticket holds the lock: nobody else could release
    // it.
    if (status.ok()) holder_ = ++last_ticket_;
    replies.Add(line_.pop().waiter, std::move(status), std::move(ticket));
  }
}

void MutexResource::CancelWaiter(uint64_t id) noexcept {
  Replies replies;
  MutexLock lock(mu_);
  if (auto pending = line_.Remove(id)) {
    replies.AddCancelled(std::move(pending->waiter), [&] { return what(); });
  }
}

bool MutexResource::held() const {
  MutexLock lock(mu_);
  return holder_ != 0;
}

}  // namespace sluice
