#include "sluice/comm/mailboxes.h"

#include <utility>

#include "sluice/base/caught.h"
#include "sluice/base/strings.h"
#include "sluice/tensor/list.h"

namespace sluice {

namespace {

// The size of a message; approximate for a list: its elements usually have the
// same size, and a list that grows in a loop should not be walked in every
// iteration.
int64_t MessageBytes(const Array& value) {
  if (value.dtype() != DType::kList) return value.bytes();
  const ListValue* list = ListOf(value);
  if (!list || list->size() == 0) return 0;
  Array last = list->at(list->size() - 1);
  return last ? list->size() * last.bytes() : 0;
}

// A bug in Sluice: a graph was split incorrectly.
Status Twice(const MessageKey& key, const char* what) {
  return Internal(StrCat("[Mailboxes] edge ", key.edge, " was ", what,
                         " twice in the iteration with tag ", key.tag));
}

}  // namespace

Mailboxes::Mailboxes(MailboxOptions options) : options_(options) {}
Mailboxes::~Mailboxes() = default;

uint64_t Mailboxes::Hash(const MessageKey& key) {
  uint64_t h =
      (key.tag ^ (uint64_t{key.edge} << 32 | key.edge)) * 0x9e3779b97f4a7c15u;
  return (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u;
}

// ---- A shard ----

Mailboxes::Entry** Mailboxes::Shard::Find(const MessageKey& key,
                                          uint64_t hash) {
  if (chains.empty()) return nullptr;
  Entry** link = &chains[hash & (chains.size() - 1)];
  while (*link && !((*link)->key == key)) link = &(*link)->next;
  return *link ? link : nullptr;
}

Mailboxes::Entry* Mailboxes::Shard::Insert(const MessageKey& key,
                                           uint64_t hash) {
  if (!free) {
    // Chains first: without memory for them there must be no entry either.
    if (all.size() >= chains.size()) {
      std::vector<Entry*> old = std::exchange(
          chains, std::vector<Entry*>(chains.empty() ? 8 : chains.size() * 2));
      for (Entry* entry : old) {
        while (entry) {
          Entry* next = entry->next;
          Entry*& head = chains[Hash(entry->key) & (chains.size() - 1)];
          entry->next = head;
          head = entry;
          entry = next;
        }
      }
    }
    all.push_back(std::make_unique<Entry>());
    free = all.back().get();
  }
  Entry* entry = std::exchange(free, free->next);
  Entry*& head = chains[hash & (chains.size() - 1)];
  entry->key = key;
  entry->next = head;
  head = entry;
  ++size;
  return entry;
}

void Mailboxes::Shard::Remove(Entry** link) {
  Entry* entry = *link;
  *link = entry->next;
  entry->value = Array();
  entry->bytes = 0;
  entry->sent = {};
  entry->received = {};
  entry->next = free;
  free = entry;
  --size;
}

// ---- Messages ----

void Mailboxes::Send(const MessageKey& key, Array value, SentCallback done) {
  uint64_t hash = Hash(key);
  Shard& shard = ShardOf(hash);
  const int64_t bytes = MessageBytes(value);
  ReceivedCallback receiver;
  Status status;
  bool answered = true;  // not delayed
  try {
    MutexLock lock(shard.mu);
    if (aborted_.load(std::memory_order_acquire)) [[unlikely]] {
      status = error();
    } else if (Entry** link = shard.Find(key, hash)) {
      if ((*link)->value) {
        status = Twice(key, "sent");
      } else {
        receiver = (*link)->received;
        shard.Remove(link);
      }
    } else {
      Entry* entry = shard.Insert(key, hash);
      entry->value = std::move(value);
      entry->bytes = bytes;
      int64_t waiting =
          waiting_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
      int64_t count =
          waiting_messages_.fetch_add(1, std::memory_order_relaxed) + 1;
      if (waiting > options_.max_waiting_bytes ||
          count > options_.max_waiting_messages) {
        entry->sent = done;
        answered = false;
      }
    }
  } catch (...) {
    status = CaughtStatus();
  }
  if (receiver.call) {
    receiver.call(receiver.context, OkStatus(), std::move(value));
  }
  if (answered) done.call(done.context, std::move(status));
}

void Mailboxes::Receive(const MessageKey& key, ReceivedCallback done) {
  uint64_t hash = Hash(key);
  Shard& shard = ShardOf(hash);
  Array value;
  SentCallback sender;
  Status status;
  try {
    MutexLock lock(shard.mu);
    if (aborted_.load(std::memory_order_acquire)) [[unlikely]] {
      status = error();
    } else if (Entry** link = shard.Find(key, hash)) {
      if (!(*link)->value) {
        status = Twice(key, "received");
      } else {
        value = std::move((*link)->value);
        sender = (*link)->sent;
        waiting_bytes_.fetch_sub((*link)->bytes, std::memory_order_relaxed);
        waiting_messages_.fetch_sub(1, std::memory_order_relaxed);
        shard.Remove(link);
      }
    } else {
      shard.Insert(key, hash)->received = done;
      return;
    }
  } catch (...) {
    status = CaughtStatus();
  }
  done.call(done.context, std::move(status), std::move(value));
  if (sender.call) sender.call(sender.context, OkStatus());
}

void Mailboxes::Abort(const Status& why) {
  {
    MutexLock lock(error_mu_);
    if (!error_.ok()) return;
    error_ = why;
  }
  aborted_.store(true, std::memory_order_release);
  for (Shard& shard : shards_) {
    // Taken out completely: answering may call back into this shard.
    Entry* taken = nullptr;
    {
      MutexLock lock(shard.mu);
      for (Entry*& head : shard.chains) {
        while (Entry* entry = head) {
          head = entry->next;
          waiting_bytes_.fetch_sub(entry->bytes, std::memory_order_relaxed);
          if (entry->value) {
            waiting_messages_.fetch_sub(1, std::memory_order_relaxed);
          }
          entry->next = taken;
          taken = entry;
        }
      }
      shard.size = 0;
    }
    // Still owned by shard.all, but not used again.
    for (; taken; taken = taken->next) {
      taken->value = Array();
      if (taken->received.call) {
        taken->received.call(taken->received.context, why, Array());
      } else if (taken->sent.call) {
        taken->sent.call(taken->sent.context, why);
      }
    }
  }
}

Status Mailboxes::error() const {
  MutexLock lock(error_mu_);
  return error_;
}

// ---- Queries ----

template <class F>
void Mailboxes::ForEach(const F& visit) const {
  for (const Shard& shard : shards_) {
    MutexLock lock(shard.mu);
    for (const Entry* head : shard.chains) {
      for (; head; head = head->next) visit(*head);
    }
  }
}

int64_t Mailboxes::waiting_messages() const {
  int64_t n = 0;
  ForEach([&](const Entry& entry) { n += entry.value ? 1 : 0; });
  return n;
}

int64_t Mailboxes::waiting_calls() const {
  int64_t n = 0;
  ForEach([&](const Entry& entry) {
    n += entry.received.call || entry.sent.call ? 1 : 0;
  });
  return n;
}

std::vector<MessageKey> Mailboxes::awaited() const {
  std::vector<MessageKey> keys;
  ForEach([&](const Entry& entry) {
    if (entry.received.call) keys.push_back(entry.key);
  });
  return keys;
}

void Mailboxes::Reset() {
  for (Shard& shard : shards_) {
    MutexLock lock(shard.mu);
    shard.chains.clear();
    shard.size = 0;
    shard.free = nullptr;
    shard.all.clear();
  }
  waiting_bytes_ = waiting_messages_ = 0;
  aborted_ = false;
  MutexLock lock(error_mu_);
  error_ = OkStatus();
}

}  // namespace sluice
