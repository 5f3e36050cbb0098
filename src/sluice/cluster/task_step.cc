#include "sluice/cluster/task_step.h"

#include <cstring>

#include "sluice/base/caught.h"
#include "sluice/base/clock.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/array_wire.h"
#include "sluice/cluster/tallies.h"
#include "sluice/tensor/list.h"

namespace sluice::cluster {

TaskStep::TaskStep(uint64_t session, uint64_t number, MailboxOptions bounds,
                   std::function<void(TaskStep&)> over)
    : session_(session),
      number_(number),
      bounds_(bounds),
      over_(std::move(over)) {}

TaskStep::~TaskStep() = default;

// ---- The piece ----

Status TaskStep::Begin(std::shared_ptr<const PieceRoutes> routes, int64_t run) {
  MutexLock lock(mu_);
  if (begun_) {
    return AlreadyExists(
        StrCat("step ", number_, " was begun before; a step is run once"));
  }
  if (stopped_) return inbox_.error();
  begun_ = true;
  routes_ = std::move(routes);
  run_ = run;
  return OkStatus();
}

bool TaskStep::begun() const {
  MutexLock lock(mu_);
  return begun_;
}

void TaskStep::End() {
  {
    MutexLock lock(mu_);
    ended_ = true;
  }
  MaybeOver();
}

void TaskStep::MaybeOver() {
  {
    MutexLock lock(mu_);
    bool quiet = begun_ ? ended_ : stopped_;
    if (!quiet || !pending_.empty() || over_told_) return;
    over_told_ = true;
  }
  // Messages that were never taken, such as duplicates, hold this object.
  inbox_.Abort(Cancelled("the step is over"));
  over_(*this);
}

namespace {

int64_t BytesOf(const Array& value) {
  if (value.dtype() != DType::kList) return value.bytes();
  const ListValue* list = ListOf(value);
  if (!list || list->size() == 0) return 0;
  Array last = list->at(list->size() - 1);
  return last ? list->size() * last.bytes() : 0;
}

// The address of the tensor and its guard; follows its description.
std::string OfferOf(const Array& value, const MemoryGuard& guard) {
  OfferedMemory offer;
  offer.address = reinterpret_cast<uintptr_t>(value.raw());
  offer.guard_address = guard.address();
  offer.guard_value = guard.value();
  return std::string(reinterpret_cast<const char*>(&offer), sizeof(offer));
}

bool IsLarge(const Array& value) {
  return value.dtype() < DType::kString && value.bytes() > kLargeBytes;
}

}  // namespace

void TaskStep::Send(const MessageKey& key, Array value, SentCallback done) {
  moves_.fetch_add(1, std::memory_order_relaxed);
  bool held = false;
  Frame frame;
  Status status = Guarded([&]() -> Status {
    const int64_t bytes = BytesOf(value);
    const bool large = IsLarge(value);
    if (large && !value.contiguous()) {
      SL_ASSIGN_OR_RETURN(value, value.AsContiguous());
    }
    {
      MutexLock lock(mu_);
      if (stopped_) return inbox_.error();
      flying_bytes_ += bytes;
      flying_messages_ += 1;
      held = flying_bytes_ > bounds_.max_waiting_bytes ||
             flying_messages_ > bounds_.max_waiting_messages;
      if (held || large) {
        Pending& pending = pending_[key];
        pending.bytes = bytes;
        if (held) pending.held = done;
        if (large) {
          pending.offer = value;
          pending.guard = MemoryGuard::Take();
          frame.head = OfferOf(value, pending.guard);
        }
      }
    }
    frame.kind = large ? FrameKind::kOffer : FrameKind::kTensor;
    frame.answer = held || large;
    frame.key = key;
    return Out(std::move(frame), value);
  });
  if (!status.ok() && held) {
    // Stop() completes the held callbacks.
    Stop(status, false);
    return;
  }
  if (!held) done.call(done.context, std::move(status));
}

Status TaskStep::Out(Frame frame, const Array& value) {
  std::shared_ptr<const PieceRoutes> routes;
  {
    MutexLock lock(mu_);
    routes = routes_;
  }
  auto it = routes->sends.find(frame.key.edge);
  if (it == routes->sends.end()) {
    return Internal(StrCat("edge ", frame.key.edge, " leads to no task"));
  }
  frame.session = session_;
  frame.step = number_;
  Payload contents;
  std::string type;
  SL_RETURN_IF_ERROR(WriteArray(value, &type, &contents));
  frame.head.insert(0, type);
  if (frame.kind == FrameKind::kOffer) contents = {};
  Tallies::Add(Tallies::Get().sent_tensors);
  Tallies::Add(Tallies::Get().sent_bytes, BytesOf(value));
  return it->second.peer->Write(WriteFrame(frame, std::move(contents)));
}

void TaskStep::Receive(const MessageKey& key, ReceivedCallback done) {
  struct Waiting {
    ReceivedCallback done;
    int64_t since;
  };
  inbox_.Receive(
      key,
      {[](void* context, Status status, Array value) {
         std::unique_ptr<Waiting> own(static_cast<Waiting*>(context));
         Tallies::Add(Tallies::Get().waited_nanos, NowNanos() - own->since);
         own->done.call(own->done.context, std::move(status), std::move(value));
       },
       new Waiting{done, NowNanos()}});
}

// ---- The end ----

bool TaskStep::Stop(const Status& why, bool outside) {
  std::unordered_map<MessageKey, Pending, KeyHash> pending;
  {
    MutexLock lock(mu_);
    if (stopped_) return false;
    stopped_ = true;
    outside_ = outside;
    pending.swap(pending_);
    untold_.clear();
  }
  inbox_.Abort(why);
  for (auto& [key, p] : pending) {
    if (p.held.call) p.held.call(p.held.context, why);
  }
  MaybeOver();
  return true;
}

int64_t TaskStep::AbortFromOutside(const Status& why) {
  Stop(why, true);
  MutexLock lock(mu_);
  return ended_ ? 0 : run_;
}

bool TaskStep::derived() const {
  MutexLock lock(mu_);
  return outside_;
}

// ---- Other tasks ----

// A message in the mailboxes, with the action for when it is taken.
struct TaskStep::Arrived {
  std::shared_ptr<TaskStep> step;
  MessageKey key;
  int64_t bytes;
  bool answer;
  std::shared_ptr<Stream> back;
};

void TaskStep::Deliver(const MessageKey& key, Array value, int64_t bytes,
                       bool answer, std::shared_ptr<Stream> back) {
  moves_.fetch_add(1, std::memory_order_relaxed);
  Tallies::Add(Tallies::Get().received_tensors);
  Tallies::Add(Tallies::Get().received_bytes, bytes);
  auto* arrived =
      new Arrived{shared_from_this(), key, bytes, answer, std::move(back)};
  inbox_.Send(key, std::move(value),
              {[](void* context, Status status) {
                 std::unique_ptr<Arrived> own(static_cast<Arrived*>(context));
                 if (status.ok()) return own->step->WasTaken(*own);
                 // Sent twice, or the step has ended: an answer tells nothing.
               },
               arrived});
}

void TaskStep::WasTaken(const Arrived& message) {
  moves_.fetch_add(1, std::memory_order_relaxed);
  if (!message.back) return;
  Frame frame;
  frame.session = session_;
  frame.step = number_;
  if (message.answer) {
    frame.kind = FrameKind::kTaken;
    frame.key = message.key;
  } else {
    frame.kind = FrameKind::kCounts;
    MutexLock lock(mu_);
    Untold& untold = untold_[message.back.get()];
    untold.messages += 1;
    untold.bytes += message.bytes;
    if (untold.messages < bounds_.max_waiting_messages / 8 &&
        untold.bytes < bounds_.max_waiting_bytes / 8) {
      return;
    }
    frame.key.tag = static_cast<uint64_t>(untold.messages);
    frame.head.assign(reinterpret_cast<const char*>(&untold.bytes),
                      sizeof(untold.bytes));
    untold = {};
  }
  message.back->Write(WriteFrame(frame));
}

void TaskStep::Taken(const MessageKey& key) {
  moves_.fetch_add(1, std::memory_order_relaxed);
  Pending taken;
  {
    MutexLock lock(mu_);
    auto it = pending_.find(key);
    if (it == pending_.end()) return;
    taken = std::move(it->second);
    pending_.erase(it);
    flying_bytes_ -= taken.bytes;
    flying_messages_ -= 1;
  }
  if (taken.held.call) taken.held.call(taken.held.context, OkStatus());
  MaybeOver();
}

void TaskStep::Counts(int64_t messages, int64_t bytes) {
  MutexLock lock(mu_);
  flying_messages_ -= messages;
  flying_bytes_ -= bytes;
}

Array TaskStep::Offered(const MessageKey& key) const {
  MutexLock lock(mu_);
  auto it = pending_.find(key);
  return it == pending_.end() ? Array() : it->second.offer;
}

bool TaskStep::Concerns(const std::string& task) const {
  MutexLock lock(mu_);
  if (!routes_ || ended_) return false;
  for (const auto* edges : {&routes_->sends, &routes_->receives}) {
    for (const auto& [number, edge] : *edges) {
      if (edge.task == task) return true;
    }
  }
  return false;
}

// ---- Monitoring ----

int64_t TaskStep::waiting_calls() const {
  int64_t held = 0;
  {
    MutexLock lock(mu_);
    for (const auto& [key, p] : pending_) held += p.held.call ? 1 : 0;
  }
  return held + static_cast<int64_t>(inbox_.awaited().size());
}

int64_t TaskStep::waiting_messages() const { return inbox_.waiting_messages(); }

int64_t TaskStep::offers() const {
  MutexLock lock(mu_);
  int64_t n = 0;
  for (const auto& [key, p] : pending_) n += p.offer ? 1 : 0;
  return n;
}

int64_t TaskStep::StillSince(int64_t now) {
  int64_t moves = moves_.load(std::memory_order_relaxed);
  MutexLock lock(mu_);
  if (moves != seen_moves_) {
    seen_moves_ = moves;
    seen_at_ = now;
  }
  return now - seen_at_;
}

std::vector<std::string> TaskStep::Waits() const {
  std::vector<MessageKey> keys = inbox_.awaited();
  std::vector<std::string> lines;
  MutexLock lock(mu_);
  for (const MessageKey& key : keys) {
    if (!routes_) break;
    auto it = routes_->receives.find(key.edge);
    if (it == routes_->receives.end()) continue;
    lines.push_back(StrCat("waits for ", it->second.task, " to send ",
                           it->second.op, " (edge ", key.edge, ", iteration ",
                           key.tag, ")"));
  }
  for (const auto& [key, p] : pending_) {
    if (!p.held.call) continue;
    lines.push_back(StrCat("is held up: what it sent on edge ", key.edge,
                           " has not been taken"));
  }
  return lines;
}

}  // namespace sluice::cluster
