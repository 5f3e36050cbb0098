// Messages that are larger than a transport carries, in parts: the sender puts
// them one after the other, then says which method they are for; an answer that
// is too large is kept, and whoever asked takes it part by part. Nothing is
// copied: a part is a slice of the message, and what has come is a list of
// parts.
//
// CallInParts is the side that asks, MessageParts the one that answers.
// Thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "sluice/base/thread_annotations.h"
#include "sluice/cluster/messages.h"
#include "sluice/cluster/transport.h"

namespace sluice::cluster {

// Above this a message goes in parts, when the transport carries so much.
int64_t WholeMessageBytes(int64_t max_message_bytes);

// A call whose request and answer may be larger than `max_message_bytes`, the
// smaller one of both ends. Parts go one after the other. timeout_ms: for each,
// as for Channel::Call.
void CallInParts(std::shared_ptr<Channel> channel, const char* method,
                 Payload request, int64_t max_message_bytes, int64_t timeout_ms,
                 Channel::Done done);

struct MessagePartsOptions {
  int64_t max_message_bytes = int64_t{256} << 20;
  // Of all messages that are kept at a time.
  int64_t max_kept_bytes = int64_t{16} << 30;
  // What nobody has asked for or added to since is dropped: its sender is gone.
  int64_t keep_ms = 60'000;
};

class MessageParts {
 public:
  explicit MessageParts(const MessagePartsOptions& options)
      : options_(options) {}

  // ---- Requests ----
  // Errors: not the next part; more than is kept.
  Status Put(const PutPart& part, PayloadReader contents,
             const Payload& request);
  // All of it, which is then forgotten. Error: not all is there.
  Result<Payload> Whole(uint64_t id);

  // ---- Answers ----
  // The answer, or what says that it is here.
  Payload Fit(Payload answer);
  Result<Payload> Take(const TakePart& part);

  // ---- For those who look ----
  int64_t kept_bytes() const;
  void DropOld();

 private:
  struct Kept {
    Payload bytes;
    uint64_t size = 0;  // when all is there
    int64_t touched = 0;
  };
  Status Reserve(uint64_t size) SL_REQUIRES(mu_);
  void DropOldLocked(int64_t now) SL_REQUIRES(mu_);
  void Forget(uint64_t id) SL_REQUIRES(mu_);

  const MessagePartsOptions options_;
  mutable Mutex mu_;
  std::unordered_map<uint64_t, Kept> kept_ SL_GUARDED_BY(mu_);
  uint64_t kept_bytes_ SL_GUARDED_BY(mu_) = 0;
};

}  // namespace sluice::cluster
