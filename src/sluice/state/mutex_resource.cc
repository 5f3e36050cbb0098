#include "sluice/state/mutex_resource.h"

#include "sluice/base/strings.h"

namespace sluice {

MutexResource::~MutexResource() {
  Replies replies;
  while (!line_.empty()) replies.AddCancelled(line_.pop().waiter, what());
}

void MutexResource::Acquire(Cancellation* c, Reply reply) {
  Pending pending{{c, std::move(reply)}};
  Replies replies;
  MutexLock lock(mu_);
  if (holder_ != 0 && !Watch(pending.waiter)) {
    return replies.AddCancelled(std::move(pending.waiter), what());
  }
  line_.push(std::move(pending));  // nobody waits while the lock is free
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
  if (holder_ != 0 || line_.empty()) return;
  holder_ = ++last_ticket_;
  replies.Add(line_.pop().waiter, OkStatus(),
              {Array::Scalar<int64_t>(holder_)});
}

void MutexResource::CancelWaiter(uint64_t id) {
  Replies replies;
  MutexLock lock(mu_);
  if (auto pending = line_.Remove(id)) {
    replies.AddCancelled(std::move(pending->waiter), what());
  }
}

bool MutexResource::held() const {
  MutexLock lock(mu_);
  return holder_ != 0;
}

}  // namespace sluice
