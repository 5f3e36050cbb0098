// MutexResource: a lock between steps. Acquire replies with a ticket once the
// lock is free and all earlier callers have had it. Only that ticket releases
// the lock: if a step fails while it holds the lock, the lock stays held,
// because the protected state may be half changed.
//
// Thread safe; waiting blocks no thread.
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
  // Error: FailedPrecondition if `ticket` does not hold the lock.
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
