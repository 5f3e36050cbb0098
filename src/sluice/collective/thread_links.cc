#include "sluice/collective/thread_links.h"

#include <chrono>
#include <condition_variable>
#include <cstring>

#include "sluice/base/clock.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"

namespace sluice::collective {

namespace {

// Data in transit from one rank to another, in the sender's memory.
struct Parcel {
  const void* data = nullptr;
  size_t bytes = 0;
  bool there = false;
  bool taken = false;  // being read now
};

// State shared by all ranks. Lives as long as the last of them.
struct Hub {
  explicit Hub(int n) : size(n), parcels(static_cast<size_t>(n * n)) {}
  Parcel& At(int from, int to) SL_REQUIRES(mu) {
    return parcels[static_cast<size_t>(from * size + to)];
  }
  const int size;
  Mutex mu;
  std::condition_variable_any changed;
  std::vector<Parcel> parcels SL_GUARDED_BY(mu);
  Status cause SL_GUARDED_BY(mu);
  std::vector<bool> left SL_GUARDED_BY(mu) =
      std::vector<bool>(static_cast<size_t>(size));
};

class ThreadLinks final : public Links {
 public:
  ThreadLinks(std::shared_ptr<Hub> hub, int rank)
      : hub_(std::move(hub)), rank_(rank) {}
  // A rank that disappears without Leave() poisons the others.
  ~ThreadLinks() override {
    MutexLock lock(hub_->mu);
    if (hub_->left[static_cast<size_t>(rank_)]) return;
    if (hub_->cause.ok()) {
      hub_->cause =
          Status(Code::kUnavailable,
                 StrCat(NameOf(rank_), " ended without leaving the group"));
    }
    hub_->changed.notify_all();
  }

  int rank() const override { return rank_; }
  int size() const override { return hub_->size; }
  std::string NameOf(int rank) const override {
    return StrCat("rank ", rank, " (a thread)");
  }

  Status Exchange(const Outgoing& out, const Incoming& in,
                  int64_t deadline) override {
    MutexLock lock(hub_->mu);
    SL_RETURN_IF_ERROR(hub_->cause);
    Parcel* sent = nullptr;
    if (out.to >= 0) {
      sent = &hub_->At(rank_, out.to);
      SL_RETURN_IF_ERROR(Wait(deadline, out.to, [&] { return !sent->there; }));
      *sent = {out.data, out.bytes, true, false};
      hub_->changed.notify_all();
    }
    Status status;
    if (in.from >= 0) {
      Parcel& came = hub_->At(in.from, rank_);
      status = Wait(deadline, in.from, [&] { return came.there; });
      if (status.ok()) {
        if (came.bytes == in.bytes) {
          // The sender waits until this is reset, whatever happens.
          came.taken = true;
          hub_->mu.unlock();
          Take(came.data, in);
          hub_->mu.lock();
          came.taken = false;
        } else {
          status = Internal(StrCat(NameOf(in.from), " sent ", came.bytes,
                                   " bytes; wanted ", in.bytes));
        }
        came.there = false;
        hub_->changed.notify_all();
      }
    }
    if (sent && status.ok()) {
      status = Wait(deadline, out.to, [&] { return !sent->there; });
    }
    if (sent && !status.ok()) {
      while (sent->taken) hub_->changed.wait(hub_->mu);
      sent->there = false;  // it may no longer be read
    }
    return status;
  }

  void Poison(Status cause) override {
    MutexLock lock(hub_->mu);
    if (hub_->cause.ok()) hub_->cause = std::move(cause);
    hub_->changed.notify_all();
  }
  Status cause() const override {
    MutexLock lock(hub_->mu);
    return hub_->cause;
  }
  void Leave() override {
    MutexLock lock(hub_->mu);
    hub_->left[static_cast<size_t>(rank_)] = true;
    hub_->changed.notify_all();
  }

 private:
  static void Take(const void* data, const Incoming& in) {
    if (in.combine) {
      in.combine(in.into, data, in.own,
                 static_cast<int64_t>(in.bytes / in.element));
    } else if (in.bytes > 0) {
      std::memcpy(in.into, data, in.bytes);
    }
  }

  template <class F>
  Status Wait(int64_t deadline, int peer, F&& ready) SL_REQUIRES(hub_->mu) {
    while (!ready()) {
      SL_RETURN_IF_ERROR(hub_->cause);
      if (hub_->left[static_cast<size_t>(peer)]) {
        return Status(Code::kUnavailable,
                      StrCat(NameOf(peer), " has left the group"));
      }
      int64_t left = deadline - NowNanos();
      if (left <= 0) {
        return DeadlineExceeded(StrCat("waited for ", NameOf(peer)));
      }
      hub_->changed.wait_for(hub_->mu, std::chrono::nanoseconds(left));
    }
    return OkStatus();
  }

  const std::shared_ptr<Hub> hub_;
  const int rank_;
};

}  // namespace

std::vector<std::unique_ptr<Links>> MakeThreadLinks(int size) {
  auto hub = std::make_shared<Hub>(size);
  std::vector<std::unique_ptr<Links>> links;
  for (int rank = 0; rank < size; ++rank) {
    links.push_back(std::make_unique<ThreadLinks>(hub, rank));
  }
  return links;
}

}  // namespace sluice::collective
