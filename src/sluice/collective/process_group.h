// ProcessGroup: ranks that compute together. Every rank calls the same
// collectives in the same order; they run in that order, one at a time, on a
// thread owned by the group.
//
// If ranks call different collectives, the error names both calls. No call
// waits forever: a collective ends with its result or an error. The first error
// poisons the group: every pending and later call, on every rank, fails with
// that cause.
//
// A forked child is not a rank: its calls fail, and its exit does not affect
// the group.
//
// Thread safe; but callers must order calls from several threads themselves.
// The destructor cancels pending work.
#pragma once

#include <memory>
#include <string>

#include "sluice/base/source_line.h"
#include "sluice/collective/flight_recorder.h"
#include "sluice/collective/links.h"
#include "sluice/collective/work.h"
#include "sluice/tensor/array.h"

namespace sluice::collective {

struct GroupOptions {
  std::string name = "world";
  // The timeout of a collective, measured from when it starts to run.
  int64_t timeout_ns = int64_t{1800} * 1'000'000'000;
  size_t records = 1000;  // of the flight recorder
  // The hosts of the ranks, for making subgroups. Empty: threads.
  std::vector<std::string> hosts;
};

class ProcessGroup {
 public:
  ProcessGroup(std::unique_ptr<Links> links, GroupOptions options = {});
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  int rank() const;
  int size() const;
  const std::string& name() const;
  const GroupOptions& options() const;

  // Arrays are contiguous, in host memory, and of plain data; nothing else may
  // access them until the work has ended. `line` is the user's, for messages.

  // Replaces `x` by the reduction of all ranks' x.
  Work AllReduce(Array x, ReduceOp op, SourceLine line = {});
  // `out` holds one array of x's type per rank, stacked along a new first axis
  // or concatenated along x's first axis.
  Work AllGather(Array x, Array out, SourceLine line = {});
  Work ReduceScatter(Array x, Array out, ReduceOp op, SourceLine line = {});
  Work Broadcast(Array x, int root, SourceLine line = {});
  // Equal parts of x along its first axis, one for each rank.
  Work AllToAll(Array x, Array out, SourceLine line = {});
  Work Barrier(SourceLine line = {});
  // Sends an array to one rank and receives one from another, concurrently;
  // either may be omitted. The other side makes the matching call with the same
  // tag. Messages arrive in order; tags are checked.
  struct Message {
    int rank = -1;  // none
    Array array;
    int64_t tag = 0;
  };
  Work SendReceive(Message out, Message in, SourceLine line = {});

  // Poisons the group on all ranks with this cause.
  void Abort(Status cause);
  Status cause() const;  // OK if not poisoned
  // Waits for pending work and tells the others that this rank is leaving
  // normally. No collectives may follow.
  Status Leave();

  std::string FlightRecord() const;
  // Times of this rank's last collectives.
  std::vector<CollectiveTime> Times() const;

 private:
  struct State;
  State* const state_;
};

}  // namespace sluice::collective
