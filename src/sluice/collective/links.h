// Links: how one rank of a group reaches the others. What is sent is a stretch
// of bytes whose length both sides know; everything else is above
// (collective/ring.h).
//
// Exchange() is called by one thread at a time; Poison(), cause() and NameOf()
// by any. Once poisoned, links stay so: every exchange ends with the cause, on
// this rank and on the others.
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
  // Set: into = combine(what comes, own), piece by piece as it comes.
  CombineFn combine = nullptr;
  const void* own = nullptr;
  size_t element = 1;  // bytes of one
};

class Links {
 public:
  virtual ~Links() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // "rank 1 (127.0.0.1, process 4242)".
  virtual std::string NameOf(int rank) const = 0;

  // Both at the same time, so that ranks in a ring may all send first.
  // `deadline` is of NowNanos(). Errors: the cause, or DeadlineExceeded with
  // the rank that was waited for; the caller poisons the group then.
  virtual Status Exchange(const Outgoing& out, const Incoming& in,
                          int64_t deadline) = 0;

  // The first call's cause is the one all ranks report.
  virtual void Poison(Status cause) = 0;
  virtual Status cause() const = 0;  // OK while all is well
  // Tells the others that this rank ends as it should.
  virtual void Leave() = 0;
};

}  // namespace sluice::collective
