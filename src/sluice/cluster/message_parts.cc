#include "sluice/cluster/message_parts.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "sluice/base/clock.h"
#include "sluice/base/strings.h"

namespace sluice::cluster {

namespace {

// Large enough to make the cost of a call negligible.
constexpr int64_t kPartBytes = int64_t{32} << 20;

// In place of the size of an answer's head: the answer is in parts; its id and
// size follow.
constexpr uint32_t kInParts = 0xffffffff;
struct Note {
  uint32_t mark = kInParts;
  uint32_t unused = 0;
  uint64_t id = 0;
  uint64_t size = 0;
};

Payload NoteOf(uint64_t id, uint64_t size) {
  Note note;
  note.id = id;
  note.size = size;
  std::string bytes(sizeof(note), '\0');
  std::memcpy(bytes.data(), &note, sizeof(note));
  return Payload(std::move(bytes));
}

std::optional<Note> NoteIn(const Payload& answer) {
  if (answer.size() != sizeof(Note)) return std::nullopt;
  Note note;
  PayloadReader(answer).Read(&note, sizeof(note));
  if (note.mark != kInParts) return std::nullopt;
  return note;
}

uint64_t NewId() {
  std::random_device random;
  return uint64_t{random()} << 32 | random() | 1;
}

// One call in progress.
struct Call : std::enable_shared_from_this<Call> {
  std::shared_ptr<Channel> channel;
  const char* method = nullptr;
  Payload request, answer;
  uint64_t id = 0, sent = 0, part_bytes = 0;
  uint64_t wanted = 0;  // bytes of the answer
  int64_t timeout_ms = 0;
  Channel::Done done;

  void PutNext() {
    if (sent == request.size()) {
      request = Payload();
      RunParts run;
      run.id = id;
      run.method = method;
      channel->Call(
          methods::kRunParts, WrapBytes(Encode(run)), timeout_ms,
          [self = shared_from_this()](const Status& status, Payload payload) {
            self->Answered(status, std::move(payload));
          });
      return;
    }
    PutPart part;
    part.id = id;
    part.offset = sent;
    part.total = request.size();
    const uint64_t size = std::min(part_bytes, request.size() - sent);
    Payload message = WrapBytes(Encode(part), request.Part(sent, size));
    sent += size;
    channel->Call(
        methods::kPutPart, std::move(message), timeout_ms,
        [self = shared_from_this()](const Status& status, Payload payload) {
          if (!status.ok()) return self->done(status, {});
          Result<Answer> said = DecodeParcel<Answer>(payload);
          if (!said.ok()) return self->done(said.status(), {});
          // An error of the other side, which the caller reads from the answer.
          if (said->status.code != Code::kOk) {
            return self->done(OkStatus(), std::move(payload));
          }
          self->PutNext();
        });
  }

  void Answered(const Status& status, Payload payload) {
    std::optional<Note> note = status.ok() ? NoteIn(payload) : std::nullopt;
    if (!note) return done(status, std::move(payload));
    id = note->id;
    wanted = note->size;
    TakeNext();
  }

  void TakeNext() {
    if (answer.size() == wanted) return done(OkStatus(), std::move(answer));
    TakePart part;
    part.id = id;
    part.offset = answer.size();
    part.size = std::min(part_bytes, wanted - answer.size());
    channel->Call(methods::kTakePart, WrapBytes(Encode(part)), timeout_ms,
                  [self = shared_from_this(), size = part.size](
                      const Status& status, Payload payload) {
                    if (!status.ok()) return self->done(status, {});
                    Result<OpenParcel> open = OpenBytes(payload);
                    if (!open.ok()) return self->done(open.status(), {});
                    if (open->contents.left() != size) {
                      Result<Answer> said = Decode<Answer>(open->head);
                      Status error =
                          said.ok() ? said->status.ToStatus() : said.status();
                      if (error.ok())
                        error = DataLoss("a part of an answer is cut short");
                      return self->done(error, {});
                    }
                    self->answer.Append(payload.Part(
                        payload.size() - open->contents.left(), size));
                    self->TakeNext();
                  });
  }
};

}  // namespace

int64_t WholeMessageBytes(int64_t max_message_bytes) {
  return max_message_bytes / 2;
}

void CallInParts(std::shared_ptr<Channel> channel, const char* method,
                 Payload request, int64_t max_message_bytes, int64_t timeout_ms,
                 Channel::Done done) {
  auto call = std::make_shared<Call>();
  call->channel = channel;
  call->method = method;
  call->timeout_ms = timeout_ms;
  const int64_t whole = WholeMessageBytes(max_message_bytes);
  call->part_bytes = static_cast<uint64_t>(std::min(whole, kPartBytes));
  call->done = std::move(done);
  if (static_cast<int64_t>(request.size()) > whole) {
    call->request = std::move(request);
    call->id = NewId();
    return call->PutNext();
  }
  channel->Call(method, std::move(request), timeout_ms,
                [call](const Status& status, Payload payload) {
                  call->Answered(status, std::move(payload));
                });
}

// ---- The answering side ----

void MessageParts::Forget(uint64_t id) {
  auto it = kept_.find(id);
  if (it == kept_.end()) return;
  kept_bytes_ -= it->second.size;
  kept_.erase(it);
}

void MessageParts::DropOldLocked(int64_t now) {
  for (auto it = kept_.begin(); it != kept_.end();) {
    auto next = std::next(it);
    if (now - it->second.touched > options_.keep_ms * 1'000'000) {
      Forget(it->first);
    }
    it = next;
  }
}

void MessageParts::DropOld() {
  MutexLock lock(mu_);
  DropOldLocked(NowNanos());
}

Status MessageParts::Reserve(uint64_t size) {
  const auto most = static_cast<uint64_t>(options_.max_kept_bytes);
  if (size <= most && kept_bytes_ <= most - size) {
    kept_bytes_ += size;
    return OkStatus();
  }
  return ResourceExhausted(
      StrCat("a message of ", size, " bytes is more than is taken in parts: ",
             kept_bytes_, " of ", most, " bytes are kept for others"));
}

Status MessageParts::Put(const PutPart& part, PayloadReader contents,
                         const Payload& request) {
  const uint64_t size = contents.left();
  const int64_t now = NowNanos();
  MutexLock lock(mu_);
  DropOldLocked(now);
  if (part.offset == 0 && !kept_.count(part.id)) {
    SL_RETURN_IF_ERROR(Reserve(part.total));
    kept_[part.id].size = part.total;
  }
  auto it = kept_.find(part.id);
  if (it == kept_.end()) {
    return Aborted("the parts of a message before this one are gone");
  }
  Kept& kept = it->second;
  if (part.offset != kept.bytes.size() || part.total != kept.size ||
      size == 0 || size > kept.size - part.offset) {
    Forget(part.id);
    return DataLoss(StrCat("a part of ", size, " bytes at ", part.offset,
                           " of a message of ", part.total,
                           " is not the next one"));
  }
  kept.touched = now;
  kept.bytes.Append(request.Part(request.size() - size, size));
  return OkStatus();
}

Result<Payload> MessageParts::Whole(uint64_t id) {
  MutexLock lock(mu_);
  auto it = kept_.find(id);
  if (it == kept_.end() || it->second.bytes.size() != it->second.size) {
    return Aborted("a message in parts is not all there");
  }
  Payload whole = std::move(it->second.bytes);
  Forget(id);
  return whole;
}

Payload MessageParts::Fit(Payload answer) {
  if (static_cast<int64_t>(answer.size()) <=
      WholeMessageBytes(options_.max_message_bytes)) {
    return answer;
  }
  const uint64_t id = NewId(), size = answer.size();
  MutexLock lock(mu_);
  DropOldLocked(NowNanos());
  Status room = Reserve(size);
  if (!room.ok()) {
    Answer refused;
    refused.status = WireStatus(room);
    return WrapBytes(Encode(refused));
  }
  Kept& kept = kept_[id];
  kept.bytes = std::move(answer);
  kept.size = size;
  kept.touched = NowNanos();
  return NoteOf(id, size);
}

Result<Payload> MessageParts::Take(const TakePart& part) {
  MutexLock lock(mu_);
  auto it = kept_.find(part.id);
  if (it == kept_.end()) return Aborted("an answer in parts is gone");
  Kept& kept = it->second;
  if (part.size == 0 || part.offset > kept.size ||
      part.size > kept.size - part.offset ||
      part.size > static_cast<uint64_t>(
                      WholeMessageBytes(options_.max_message_bytes))) {
    return InvalidArgument(StrCat("a part of ", part.size, " bytes at ",
                                  part.offset, " of an answer of ", kept.size));
  }
  kept.touched = NowNanos();
  Payload found = kept.bytes.Part(part.offset, part.size);
  if (part.offset + part.size == kept.size) Forget(part.id);
  return found;
}

int64_t MessageParts::kept_bytes() const {
  MutexLock lock(mu_);
  return static_cast<int64_t>(kept_bytes_);
}

}  // namespace sluice::cluster
