// Mailboxes: the rendezvous of tasks within one process. A hash map from keys
// to waiting messages or receivers, in shards with a lock each.
//
// Memory is bounded: while more than max_waiting_bytes or more than
// max_waiting_messages are waiting, a further Send completes only when its
// message is taken. A loop that runs ahead therefore stops after its window of
// iterations.
//
// Thread safe. There is one per step; Reset prepares it for another step. The
// memory of messages is freed with the last message, by Abort, or with the
// mailboxes.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/op/rendezvous.h"

namespace sluice {

struct MailboxOptions {
  // Enough for some iterations of large activations, and small next to the
  // memory that produces them.
  int64_t max_waiting_bytes = int64_t{256} << 20;
  // Bounds the overhead of small messages.
  int64_t max_waiting_messages = 4096;
};

class Mailboxes final : public Rendezvous {
 public:
  explicit Mailboxes(MailboxOptions options = {});
  // REQUIRES: no message or receiver waits here.
  ~Mailboxes() override;

  void Send(const MessageKey& key, Array value, SentCallback done) override;
  void Receive(const MessageKey& key, ReceivedCallback done) override;
  void Abort(const Status& why) override;

  // Why it was aborted; OK if it was not.
  Status error() const;
  // Messages that have not been taken, and their bytes.
  int64_t waiting_messages() const;
  int64_t waiting_bytes() const {
    return waiting_bytes_.load(std::memory_order_relaxed);
  }
  // Waiting receivers and held-up senders.
  int64_t waiting_calls() const;
  // The keys that receivers wait for.
  std::vector<MessageKey> awaited() const;

  // Drops remaining messages. REQUIRES: nobody waits here, no call in progress.
  void Reset();

 private:
  // A message or a receiver that waits under one key.
  struct Entry {
    MessageKey key;
    Entry* next = nullptr;
    Array value;  // empty: a receiver waits
    int64_t bytes = 0;
    SentCallback sent;  // of a delayed sender
    ReceivedCallback received;
  };
  struct alignas(64) Shard {
    mutable Mutex mu;
    // Chains by hash; their number is a power of two. Entries are reused.
    std::vector<Entry*> chains SL_GUARDED_BY(mu);
    size_t size SL_GUARDED_BY(mu) = 0;
    Entry* free SL_GUARDED_BY(mu) = nullptr;
    std::vector<std::unique_ptr<Entry>> all SL_GUARDED_BY(mu);

    Entry** Find(const MessageKey& key, uint64_t hash) SL_REQUIRES(mu);
    Entry* Insert(const MessageKey& key, uint64_t hash) SL_REQUIRES(mu);
    void Remove(Entry** link) SL_REQUIRES(mu);
  };
  static constexpr size_t kShards = 8;

  static uint64_t Hash(const MessageKey& key);
  Shard& ShardOf(uint64_t hash) { return shards_[hash >> 61]; }
  template <class F>
  void ForEach(const F& visit) const;

  const MailboxOptions options_;
  Shard shards_[kShards];
  std::atomic<int64_t> waiting_bytes_{0}, waiting_messages_{0};
  // Read under a shard's lock; set before Abort takes any of these locks.
  std::atomic<bool> aborted_{false};
  mutable Mutex error_mu_;
  Status error_ SL_GUARDED_BY(error_mu_);
};

}  // namespace sluice
