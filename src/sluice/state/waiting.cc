#include "sluice/state/waiting.h"

#include "sluice/base/strings.h"

namespace sluice {

void Replies::Add(Waiter waiter, Status status, std::vector<Array> outputs,
                  std::function<void()> finish) noexcept {
  std::unique_ptr<PendingReply> a = std::move(waiter.answer);
  a->status = std::move(status);
  a->outputs = std::move(outputs);
  a->finish = std::move(finish);
  a->cancellation = waiter.cancellation;
  a->token = waiter.token;
  PendingReply* added = a.get();
  (last_ ? last_->next : first_) = std::move(a);
  last_ = added;
}

namespace {

Status WhyCancelled(const PendingReply& a) {
  Status why = a.cancellation ? a.cancellation->status() : OkStatus();
  return Cancelled(StrCat(a.what.empty() ? "a wait" : a.what, " was cancelled",
                          why.ok() ? "" : ": ", why.message()));
}

}  // namespace

Replies::~Replies() {
  while (first_) {
    std::unique_ptr<PendingReply> a = std::move(first_);
    first_ = std::move(a->next);
    // The step, and with it the cancellation, may be gone after the reply.
    if (a->token) a->cancellation->Deregister(a->token);
    if (a->cancelled) {
      a->status = Guarded([&]() -> Status { return WhyCancelled(*a); });
    }
    if (a->finish) {
      Status done = Guarded([&]() -> Status {
        a->finish();
        return OkStatus();
      });
      a->finish = nullptr;  // it may share the outputs: leave them to the reply
      if (!done.ok()) {
        a->status = std::move(done);
        a->outputs.clear();
      }
    }
    a->reply(std::move(a->status), std::move(a->outputs));
  }
}

bool WaitingResource::Watch(Waiter& waiter) {
  waiter.id = ++last_id_;
  if (!waiter.cancellation) return true;
  auto self = Ref<WaitingResource>::Share(this);
  return waiter.cancellation->Register(
      &waiter.token, [self, id = waiter.id] { self->CancelWaiter(id); });
}

}  // namespace sluice
