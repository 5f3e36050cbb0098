// MutexResource: a lock between steps. Acquire replies with a ticket as soon as
// the lock is free and everyone who came earlier has had it; the ticket is what
// releases it. Nothing releases it but that: a step that fails while holding
// the lock leaves it held, as the state it protects may be half changed.
//
// Thread safe; waiting holds no thread.
#pragma once

#include <string>

#include "sluice/base/thread_annotations.h"
#include "sluice/state/waiting.h"

namespace sluice {

class MutexResource : public WaitingResource {
 public:
  static constexpr char kKind[] = "mutex";
  const void* tag() const override { return kKind; }

  explicit MutexResource(std::string name)
      : WaitingResource(std::move(name), "mutex") {}

  // Replies with the ticket, an i64 scalar.
  void Acquire(Cancellation* c, Reply reply);
  // Error: FailedPrecondition when `ticket` does not hold the lock.
  Status Unlock(int64_t ticket);
  bool held() const;

 protected:
  ~MutexResource() override;
  void CancelWaiter(uint64_t id) noexcept override;

 private:
  struct Pending {
    Waiter waiter;
  };
  void GrantNext(Replies& replies) SL_REQUIRES(mu_);
  std::string what() const { return "wait for mutex \"" + name() + "\""; }

  mutable Mutex mu_;
  int64_t holder_ SL_GUARDED_BY(mu_) = 0;  // 0: free
  int64_t last_ticket_ SL_GUARDED_BY(mu_) = 0;
  WaitLine<Pending> line_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice
