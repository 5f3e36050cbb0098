// Messages that exceed the transport's limit, sent in parts. The sender
// transfers the parts in order, then names the method they are for. An answer
// that is too large is kept, and the caller fetches it part by part. Nothing is
// copied: a part is a slice of the message, and a received message is a list of
// parts.
//
// CallInParts is the calling side, MessageParts the answering side. Thread
// safe.
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

// A message above this size is sent in parts, given the transport's limit.
int64_t WholeMessageBytes(int64_t max_message_bytes);

// A call whose request and answer may exceed `max_message_bytes`, the smaller
// limit of both ends. Parts are sent one after the other. timeout_ms: for each
// part, as for Channel::Call.
void CallInParts(std::shared_ptr<Channel> channel, const char* method,
                 Payload request, int64_t max_message_bytes, int64_t timeout_ms,
                 Channel::Done done);

struct MessagePartsOptions {
  int64_t max_message_bytes = int64_t{256} << 20;
  // Of all kept messages together.
  int64_t max_kept_bytes = int64_t{16} << 30;
  // A message that nobody has read or extended for this long is dropped.
  int64_t keep_ms = 60'000;
};

class MessageParts {
 public:
  explicit MessageParts(const MessagePartsOptions& options)
      : options_(options) {}

  // ---- Requests ----
  // Errors: a part out of order; more bytes than may be kept.
  Status Put(const PutPart& part, PayloadReader contents,
             const Payload& request);
  // The whole message, which is then forgotten. Error: it is incomplete.
  Result<Payload> Whole(uint64_t id);

  // ---- Answers ----
  // The answer itself, or a notice that it is kept here in parts.
  Payload Fit(Payload answer);
  Result<Payload> Take(const TakePart& part);

  // ---- For monitoring ----
  int64_t kept_bytes() const;
  void DropOld();

 private:
  struct Kept {
    Payload bytes;
    uint64_t size = 0;  // when complete
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
