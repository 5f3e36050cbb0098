// Frames: the format of the stream of tensors between two tasks. A small tensor
// is in its frame; a large one is offered, and the receiver fetches it. Frames
// in the other direction acknowledge what was taken.
//
//   u32 checksum | u8 kind | u8 flags | u16 0 | u32 edge | u32 size of head |
//   u64 size of contents | u64 session | u64 step | u64 tag | head | contents
//
// The checksum covers everything after it. The bytes are untrusted. Plain
// functions and values.
#pragma once

#include <functional>
#include <string>

#include "sluice/cluster/payload.h"
#include "sluice/op/rendezvous.h"

namespace sluice::cluster {

enum class FrameKind : uint8_t {
  kHello = 1,   // head: a Hello; the first of a stream
  kTensor = 2,  // head: its description
  kOffer = 3,   // head: description, then an OfferedMemory
  kTaken = 4,   // the message of that key was taken
  kCounts = 5,  // tag messages were taken; head: their bytes
};

struct Frame {
  FrameKind kind = FrameKind::kHello;
  bool answer = false;  // whether kTaken is expected
  MessageKey key;
  uint64_t session = 0;
  uint64_t step = 0;
  std::string head;
  // In a received frame: the tensor, already decoded.
  Array tensor;
  int64_t bytes = 0;  // of its contents
};

// Where an offered tensor is in the memory of the process that offers it.
struct OfferedMemory {
  uint64_t address = 0;
  uint64_t guard_address = 0;  // 0: it must not be read from there
  uint64_t guard_value = 0;
};

Payload WriteFrame(const Frame& frame, Payload contents = {});

// Calls `each` for every frame. Errors: DataLoss, after `each` was called for
// the frames before it.
Status ReadFrames(const Payload& payload,
                  const std::function<void(Frame)>& each);

}  // namespace sluice::cluster
