// TaskStep: one step in one task, as the rendezvous of the piece that runs
// there. Messages from other tasks wait in its mailboxes; messages of the piece
// go out through its peers. It may exist before the piece begins, because
// tensors may arrive earlier.
//
// Memory is bounded as in Mailboxes: while the messages in transit or not yet
// taken exceed the bound, a further Send is completed when its message has been
// taken. Large tensors stay in place until they are fetched.
//
// Thread safe. Lives until the piece has ended and all its offers were taken,
// or until it was aborted and the piece has ended.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/cluster/frame.h"
#include "sluice/cluster/host_memory.h"
#include "sluice/cluster/peer.h"
#include "sluice/comm/mailboxes.h"

namespace sluice::cluster {

// Larger tensors are offered and fetched; smaller ones are in their message.
inline constexpr int64_t kLargeBytes = int64_t{64} << 10;

// The sources and destinations of a piece's messages.
struct PieceRoutes {
  struct Edge {
    std::shared_ptr<Peer> peer;
    std::string op;    // "Recv \"x\" in line ...": for reports
    std::string task;  // of the other end
  };
  std::unordered_map<uint32_t, Edge> sends, receives;
};

class TaskStep final : public Rendezvous,
                       public std::enable_shared_from_this<TaskStep> {
 public:
  // `over` is called once, without a lock, when the step can be forgotten.
  TaskStep(uint64_t session, uint64_t number, MailboxOptions bounds,
           std::function<void(TaskStep&)> over);
  // REQUIRES: nothing is waiting here.
  ~TaskStep() override;

  uint64_t session() const { return session_; }
  uint64_t number() const { return number_; }

  // ---- The piece ----
  // Error: it has already begun, or was aborted.
  Status Begin(std::shared_ptr<const PieceRoutes> routes, int64_t run);
  void End();
  bool begun() const;

  void Send(const MessageKey& key, Array value, SentCallback done) override;
  void Receive(const MessageKey& key, ReceivedCallback done) override;
  // Called by the piece when it has failed.
  void Abort(const Status& why) override { Stop(why, false); }
  // Called from elsewhere: a consequence. Returns the run to cancel; 0 if there
  // is none.
  int64_t AbortFromOutside(const Status& why);
  // Whether it was stopped from outside.
  bool derived() const;
  Status error() const { return inbox_.error(); }

  // ---- Other tasks ----
  // `back`: the stream for acknowledgements; may be null.
  void Deliver(const MessageKey& key, Array value, int64_t bytes, bool answer,
               std::shared_ptr<Stream> back);
  void Taken(const MessageKey& key);
  void Counts(int64_t messages, int64_t bytes);
  // The array offered under that key; none if it is not available (any more).
  Array Offered(const MessageKey& key) const;
  // Whether it exchanges messages with that task.
  bool Concerns(const std::string& task) const;

  // ---- For monitoring ----
  int64_t waiting_calls() const;
  int64_t waiting_messages() const;
  int64_t offers() const;
  // How long no message has been received or sent, as far as callers can tell:
  // nanoseconds since the first call that found the current state.
  int64_t StillSince(int64_t now);
  // One line per wait: "Recv "x" (line) waits for /job:a/task:1".
  std::vector<std::string> Waits() const;

 private:
  struct Pending {
    Array offer;        // until it was fetched and taken
    MemoryGuard guard;  // released before the offer
    SentCallback held;  // until it was taken
    int64_t bytes = 0;
  };
  struct Arrived;
  bool Stop(const Status& why, bool outside);
  void MaybeOver();
  Status Out(Frame frame, const Array& value);
  void WasTaken(const Arrived& message);

  const uint64_t session_, number_;
  const MailboxOptions bounds_;
  const std::function<void(TaskStep&)> over_;
  // A message is acknowledged exactly when it is taken.
  Mailboxes inbox_{{.max_waiting_bytes = -1, .max_waiting_messages = 0}};
  std::atomic<int64_t> moves_{0};  // incremented with every message

  struct KeyHash {
    size_t operator()(const MessageKey& k) const {
      return (k.tag ^ k.edge) * 0x9e3779b97f4a7c15u;
    }
  };
  mutable Mutex mu_;
  std::shared_ptr<const PieceRoutes> routes_ SL_GUARDED_BY(mu_);
  int64_t run_ SL_GUARDED_BY(mu_) = 0;
  bool begun_ SL_GUARDED_BY(mu_) = false;
  bool ended_ SL_GUARDED_BY(mu_) = false;
  bool stopped_ SL_GUARDED_BY(mu_) = false;
  bool outside_ SL_GUARDED_BY(mu_) = false;
  bool over_told_ SL_GUARDED_BY(mu_) = false;
  int64_t seen_moves_ SL_GUARDED_BY(mu_) = -1;
  int64_t seen_at_ SL_GUARDED_BY(mu_) = 0;
  // Sent and not yet acknowledged.
  int64_t flying_bytes_ SL_GUARDED_BY(mu_) = 0;
  int64_t flying_messages_ SL_GUARDED_BY(mu_) = 0;
  std::unordered_map<MessageKey, Pending, KeyHash> pending_ SL_GUARDED_BY(mu_);
  // Taken and not yet acknowledged, by stream.
  struct Untold {
    int64_t messages = 0, bytes = 0;
  };
  std::unordered_map<Stream*, Untold> untold_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice::cluster
