// Rendezvous: how values pass between the tasks of one step. A Send leaves a
// message under a key, a Recv takes it; either may come first. One rendezvous
// serves one run of one step and lives until the last piece of it has ended.
//
// Thread safe. Nobody waits in a call: answers come by callback, exactly one
// for each call, from any thread and with no lock held, perhaps before the
// call returns. Pieces do not watch their step's cancellation here: whoever
// runs a piece calls Abort when the piece is cancelled.
#pragma once

#include <cstdint>

#include "sluice/base/status.h"
#include "sluice/tensor/array.h"

namespace sluice {

// Which edge between tasks, and which iteration of the loops around it: tag is
// that of the step context (IterationTag). Loops that were cloned into several
// tasks kept their key, so both sides come to the same tag.
struct MessageKey {
  uint32_t edge = 0;
  uint64_t tag = 0;
  bool operator==(const MessageKey&) const = default;
};

// A function and what it is called with: no memory is needed to answer.
struct SentCallback {
  void (*call)(void* context, Status status) = nullptr;
  void* context = nullptr;
};
struct ReceivedCallback {
  void (*call)(void* context, Status status, Array value) = nullptr;
  void* context = nullptr;
};

class Rendezvous {
 public:
  virtual ~Rendezvous() = default;

  // Each key is sent once and received once. Sent is answered at once while
  // there is room, and else when the message has been taken.
  virtual void Send(const MessageKey& key, Array value, SentCallback done) = 0;
  virtual void Receive(const MessageKey& key, ReceivedCallback done) = 0;
  // The first error wins: all that wait, and all that come, are answered with
  // it, and messages nobody took are dropped.
  virtual void Abort(const Status& why) = 0;
};

}  // namespace sluice
