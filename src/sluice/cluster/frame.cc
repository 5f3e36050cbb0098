#include "sluice/cluster/frame.h"

#include <cstring>

#include "sluice/base/crc32c.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/array_wire.h"

namespace sluice::cluster {

namespace {

constexpr size_t kHeadBytes = 48;
constexpr uint8_t kAnswer = 1;

template <class T>
void Put(char*& at, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) {
    *at++ = static_cast<char>(value >> (8 * i));
  }
}

template <class T>
T Take(const unsigned char*& at) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(static_cast<T>(*at++) << (8 * i));
  }
  return value;
}

Status Wrong(std::string_view what) {
  return DataLoss(StrCat("a message between tasks is damaged: ", what));
}

}  // namespace

Payload WriteFrame(const Frame& frame, Payload contents) {
  std::string front(kHeadBytes, '\0');
  char* at = front.data() + 4;
  Put(at, static_cast<uint8_t>(frame.kind));
  Put(at, static_cast<uint8_t>(frame.answer ? kAnswer : 0));
  Put(at, uint16_t{0});
  Put(at, frame.key.edge);
  Put(at, static_cast<uint32_t>(frame.head.size()));
  Put(at, static_cast<uint64_t>(contents.size()));
  Put(at, frame.session);
  Put(at, frame.step);
  Put(at, frame.key.tag);
  front += frame.head;
  uint32_t crc = Crc32c(std::string_view(front).substr(4));
  for (const Slice& slice : contents.slices()) {
    crc = Crc32c({slice.data, slice.size}, crc);
  }
  at = front.data();
  Put(at, crc);
  Payload all(std::move(front));
  all.Append(std::move(contents));
  return all;
}

Status ReadFrames(const Payload& payload,
                  const std::function<void(Frame)>& each) {
  PayloadReader reader(payload);
  while (reader.left() > 0) {
    unsigned char bytes[kHeadBytes];
    if (!reader.Read(bytes, kHeadBytes)) return Wrong("it is cut short");
    const unsigned char* at = bytes;
    auto crc = Take<uint32_t>(at);
    Frame frame;
    auto kind = Take<uint8_t>(at);
    auto flags = Take<uint8_t>(at);
    (void)Take<uint16_t>(at);
    frame.key.edge = Take<uint32_t>(at);
    auto head_size = Take<uint32_t>(at);
    auto contents = Take<uint64_t>(at);
    frame.session = Take<uint64_t>(at);
    frame.step = Take<uint64_t>(at);
    frame.key.tag = Take<uint64_t>(at);
    if (!reader.ReadString(&frame.head, head_size) ||
        contents > reader.left()) {
      return Wrong("it is cut short");
    }
    uint32_t got =
        Crc32c({reinterpret_cast<const char*>(bytes) + 4, kHeadBytes - 4});
    got = Crc32c(frame.head, got);
    // Continues with the checksum of the contents.
    got = reader.Crc(contents, got);
    if (got != crc) return Wrong("the checksum does not fit");
    if (kind < 1 || kind > static_cast<uint8_t>(FrameKind::kCounts)) {
      return Wrong(StrCat("kind ", kind));
    }
    frame.kind = static_cast<FrameKind>(kind);
    frame.answer = (flags & kAnswer) != 0;
    frame.bytes = static_cast<int64_t>(contents);
    if (frame.kind == FrameKind::kTensor) {
      std::string_view head = frame.head;
      size_t before = reader.left();
      SL_ASSIGN_OR_RETURN(frame.tensor, ReadArray(&head, &reader));
      if (!head.empty() || before - reader.left() != contents) {
        return Wrong("more bytes than its tensor has");
      }
    } else if (contents != 0) {
      return Wrong("contents where none are wanted");
    }
    each(std::move(frame));
  }
  return OkStatus();
}

}  // namespace sluice::cluster
