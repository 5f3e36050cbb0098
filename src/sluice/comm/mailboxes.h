// Mailboxes: the rendezvous of tasks that live in one process. A hash map from
// keys to what waits there, a message or a receiver, in shards that each have a
// lock of their own.
//
// Memory is bounded: while messages of more than max_waiting_bytes, or more
// than max_waiting_messages of them, lie here, a further Send is answered only
// when its message has been taken, so that a loop that runs ahead stops after
// its window of iterations.
//
// Thread safe. One for each step; Reset makes it ready for another. All memory
// of messages goes with the last message, with Abort, or with the mailboxes.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/op/rendezvous.h"

namespace sluice {

struct MailboxOptions {
  // Enough for some iterations of large activations; small next to what a
  // process that makes them holds anyway.
  int64_t max_waiting_bytes = int64_t{256} << 20;
  // Small ones cost what keeps them.
  int64_t max_waiting_messages = 4096;
};

class Mailboxes final : public Rendezvous {
 public:
  explicit Mailboxes(MailboxOptions options = {});
  // REQUIRES: nobody waits here any more.
  ~Mailboxes() override;

  void Send(const MessageKey& key, Array value, SentCallback done) override;
  void Receive(const MessageKey& key, ReceivedCallback done) override;
  void Abort(const Status& why) override;

  // Why it was aborted; OK while it was not.
  Status error() const;
  // Messages that nobody has taken yet, and their bytes.
  int64_t waiting_messages() const;
  int64_t waiting_bytes() const {
    return waiting_bytes_.load(std::memory_order_relaxed);
  }
  // Receivers and held-up senders.
  int64_t waiting_calls() const;
  // What receivers wait for.
  std::vector<MessageKey> awaited() const;

  // Drops what is left over. REQUIRES: nobody waits, nobody calls.
  void Reset();

 private:
  // What waits under one key: a message, or a receiver.
  struct Entry {
    MessageKey key;
    Entry* next = nullptr;
    Array value;  // none: a receiver waits
    int64_t bytes = 0;
    SentCallback sent;  // of a sender that is held up
    ReceivedCallback received;
  };
  struct alignas(64) Shard {
    mutable Mutex mu;
    // Chains by hash; a power of two of them. Entries are used again.
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
  // Looked at under a shard's lock; set before Abort takes any of those.
  std::atomic<bool> aborted_{false};
  mutable Mutex error_mu_;
  Status error_ SL_GUARDED_BY(error_mu_);
};

}  // namespace sluice
