// Rendezvous: passes values between the tasks of one step. Send stores a
// message under a key, Receive takes it; either may come first. One rendezvous
// serves one run of one step and lives until the last part of that run has
// ended.
//
// Thread safe. No call blocks: each call is answered by exactly one callback,
// from any thread and without a lock held, perhaps before the call returns. The
// rendezvous does not watch the step's cancellation: the code that runs a part
// calls Abort when the part is cancelled.
#pragma once

#include <cstdint>

#include "sluice/base/status.h"
#include "sluice/tensor/array.h"

namespace sluice {

// The edge between tasks, and the iteration of the loops around it: tag is that
// of the step context (IterationTag). Loops cloned into several tasks keep
// their key, so both sides compute the same tag.
struct MessageKey {
  uint32_t edge = 0;
  uint64_t tag = 0;
  bool operator==(const MessageKey&) const = default;
};

// A function and its argument: answering allocates no memory.
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

  // Each key is sent once and received once. Send is answered at once if there
  // is space, otherwise when the message has been taken.
  virtual void Send(const MessageKey& key, Array value, SentCallback done) = 0;
  virtual void Receive(const MessageKey& key, ReceivedCallback done) = 0;
  // The first error wins: all pending and later calls are answered with it, and
  // messages that were not received are dropped.
  virtual void Abort(const Status& why) = 0;
};

}  // namespace sluice
