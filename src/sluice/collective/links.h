// Links: how one rank of a group reaches the others. A transfer is a number of
// bytes that both sides know; everything else is built on top
// (collective/ring.h).
//
// Exchange() is called by one thread at a time; Poison(), cause() and NameOf()
// by any. Once poisoned, links stay poisoned: every exchange ends with the
// cause, on this rank and on the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/collective/reduce_op.h"

namespace sluice::collective {

struct Outgoing {
  int to = -1;  // none
  const void* data = nullptr;
  size_t bytes = 0;
};

struct Incoming {
  int from = -1;  // none
  void* into = nullptr;
  size_t bytes = 0;
  // Set: into = combine(received, own), piece by piece as data arrives.
  CombineFn combine = nullptr;
  const void* own = nullptr;
  size_t element = 1;  // bytes per element
};

class Links {
 public:
  virtual ~Links() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // "rank 1 (127.0.0.1, process 4242)".
  virtual std::string NameOf(int rank) const = 0;

  // Sends and receives concurrently, so that all ranks of a ring may send
  // first. `deadline` is in NowNanos(). Errors: the cause, or DeadlineExceeded
  // with the rank that was late; the caller then poisons the group.
  virtual Status Exchange(const Outgoing& out, const Incoming& in,
                          int64_t deadline) = 0;

  // All ranks report the cause given by the first call.
  virtual void Poison(Status cause) = 0;
  virtual Status cause() const = 0;  // OK if not poisoned
  // Tells the other ranks that this one is leaving normally.
  virtual void Leave() = 0;
};

}  // namespace sluice::collective
