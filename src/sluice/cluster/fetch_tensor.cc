#include "sluice/cluster/fetch_tensor.h"

#include <algorithm>
#include <atomic>

#include "sluice/base/caught.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/host_memory.h"

namespace sluice::cluster {

namespace {

std::atomic<int64_t> directly{0}, by_parts{0};

// Large enough to make the cost of a call negligible, small enough for several
// connections to share a tensor.
constexpr uint64_t kPartBytes = uint64_t{4} << 20;

// One tensor in transit.
struct Parts {
  std::shared_ptr<TensorFetch> fetch;
  uint64_t size = 0;
  Mutex mu;
  uint64_t next SL_GUARDED_BY(mu) = 0;  // offset of the next part to request
  size_t flying SL_GUARDED_BY(mu) = 0;  // parts requested
  Status error SL_GUARDED_BY(mu);
};

void AskNext(const std::shared_ptr<Parts>& parts, size_t connection);

// The last one to finish calls `done`.
void PartDone(const std::shared_ptr<Parts>& parts, size_t connection,
              const Status& status) {
  bool last = false;
  Status error;
  {
    MutexLock lock(parts->mu);
    --parts->flying;
    if (!status.ok() && parts->error.ok()) parts->error = status;
    last = parts->flying == 0 &&
           (parts->next >= parts->size || !parts->error.ok());
    error = parts->error;
  }
  if (last) {
    if (error.ok()) {
      by_parts.fetch_add(static_cast<int64_t>(parts->size),
                         std::memory_order_relaxed);
    }
    return parts->fetch->done(error);
  }
  AskNext(parts, connection);
}

Status TakePart(const Parts& parts, uint64_t offset, uint64_t size,
                const Status& status, const Payload& payload) {
  SL_RETURN_IF_ERROR(status);
  SL_ASSIGN_OR_RETURN(OpenParcel open, OpenBytes(payload));
  SL_ASSIGN_OR_RETURN(Answer answer, Decode<Answer>(open.head));
  SL_RETURN_IF_ERROR(answer.status.ToStatus());
  if (open.contents.left() != size) {
    return DataLoss(StrCat("a part of ", size, " bytes was asked for; got ",
                           open.contents.left()));
  }
  open.contents.Read(
      static_cast<char*>(parts.fetch->array.mutable_raw()) + offset, size);
  return OkStatus();
}

void AskNext(const std::shared_ptr<Parts>& parts, size_t connection) {
  FetchPart part = parts->fetch->part;
  {
    MutexLock lock(parts->mu);
    if (parts->next >= parts->size || !parts->error.ok()) return;
    part.offset = parts->next;
    part.size = std::min(kPartBytes, parts->size - parts->next);
    parts->next += part.size;
    ++parts->flying;
  }
  Result<std::shared_ptr<Channel>> channel =
      parts->fetch->peer->FetchChannel(connection);
  if (!channel.ok()) return PartDone(parts, connection, channel.status());
  (*channel)->Call(methods::kFetch, WrapBytes(Encode(part)), 0,
                   [parts, connection, offset = part.offset, size = part.size](
                       const Status& status, const Payload& payload) {
                     parts->fetch->transport->TakesLong();
                     PartDone(parts, connection, Guarded([&] {
                                return TakePart(*parts, offset, size, status,
                                                payload);
                              }));
                   });
}

}  // namespace

void FetchByParts(const std::shared_ptr<TensorFetch>& fetch) {
  auto parts = std::make_shared<Parts>();
  parts->fetch = fetch;
  parts->size = static_cast<uint64_t>(fetch->array.bytes());
  if (parts->size == 0) return fetch->done(OkStatus());
  // Two per connection, so that none is idle between requests.
  for (size_t i = 0; i < 2 * Peer::kFetchChannels; ++i) AskNext(parts, i);
}

void FetchDirectly(const std::shared_ptr<TensorFetch>& fetch) {
  auto size = static_cast<size_t>(fetch->array.bytes());
  const OfferedMemory& memory = fetch->memory;
  uint64_t guard = 0;
  Status status = ReadMemoryOf(fetch->process, memory.address,
                               fetch->array.mutable_raw(), size);
  if (status.ok()) {
    status = ReadMemoryOf(fetch->process, memory.guard_address, &guard,
                          sizeof(guard));
  }
  if (!status.ok()) return FetchByParts(fetch);
  if (guard != memory.guard_value) {
    return fetch->done(
        Status(Code::kUnavailable, "the tensor is not offered any more"));
  }
  directly.fetch_add(static_cast<int64_t>(size), std::memory_order_relaxed);
  fetch->done(OkStatus());
}

int64_t BytesFetchedDirectly() { return directly.load(); }
int64_t BytesFetchedByParts() { return by_parts.load(); }

}  // namespace sluice::cluster
