#include "sluice/state/waiting.h"

#include "sluice/base/strings.h"

namespace sluice {

void Replies::Add(Waiter waiter, Status status, std::vector<Array> outputs,
                  std::function<void()> finish) {
  entries_.push_back({std::move(waiter),
                      std::move(status),
                      std::move(outputs),
                      std::move(finish),
                      {}});
}

void Replies::AddCancelled(Waiter waiter, std::string what) {
  entries_.push_back({std::move(waiter), {}, {}, nullptr, std::move(what)});
}

Replies::~Replies() {
  for (Entry& e : entries_) {
    // The step, and with it the cancellation, may be gone after the reply.
    if (e.waiter.token) e.waiter.cancellation->Deregister(e.waiter.token);
    if (!e.cancelled.empty()) {
      Status why =
          e.waiter.cancellation ? e.waiter.cancellation->status() : OkStatus();
      e.status = Cancelled(StrCat(e.cancelled, " was cancelled",
                                  why.ok() ? "" : ": ", why.message()));
    }
    if (e.finish) {
      e.finish();
      e.finish = nullptr;  // it may share the outputs: leave them to the reply
    }
    e.waiter.reply(std::move(e.status), std::move(e.outputs));
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
