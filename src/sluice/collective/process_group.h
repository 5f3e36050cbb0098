// ProcessGroup: ranks that compute together. Every rank calls the same
// collectives in the same order; they run in that order, one at a time, on a
// thread of the group's own.
//
// Ranks that call different things are told so, with both calls named, and
// nobody waits for ever: a collective ends with its result or an error. The
// first error is the group's last word (it is poisoned): all that is under way
// and all later calls, on every rank, fail with that cause.
//
// A forked child is no rank: what it calls fails, and what it ends touches
// nothing of the group.
//
// Thread safe; but the order of calls from several threads is the caller's
// business. Ends with the object: what is still under way is given up.
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
  // How long a collective may take, from its turn on.
  int64_t timeout_ns = int64_t{1800} * 1'000'000'000;
  size_t records = 1000;  // of the flight recorder
  // Where the ranks are, for groups made of some of them. Empty: threads.
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

  // Arrays are contiguous and in the host's memory, of plain data; nobody else
  // touches them until the work has ended. `line` is the user's, for messages.

  // `x` becomes the reduction of all ranks' x.
  Work AllReduce(Array x, ReduceOp op, SourceLine line = {});
  // `out` is one array of x's type for every rank, along a first axis of its
  // own or along x's.
  Work AllGather(Array x, Array out, SourceLine line = {});
  Work ReduceScatter(Array x, Array out, ReduceOp op, SourceLine line = {});
  Work Broadcast(Array x, int root, SourceLine line = {});
  // Equal parts of x along its first axis, one for each rank.
  Work AllToAll(Array x, Array out, SourceLine line = {});
  Work Barrier(SourceLine line = {});
  // An array to one rank and one from another, at the same time; either may be
  // left out. The other side calls the same with what goes the other way, and
  // the same tag: messages come in order, and a tag says which one is meant.
  struct Message {
    int rank = -1;  // none
    Array array;
    int64_t tag = 0;
  };
  Work SendReceive(Message out, Message in, SourceLine line = {});

  // Ends the group on all ranks with this cause.
  void Abort(Status cause);
  Status cause() const;  // OK while all is well
  // Waits for what is under way and tells the others that this rank ends as it
  // should. No collectives afterwards.
  Status Leave();

  std::string FlightRecord() const;
  // Of the last collectives of this rank.
  std::vector<CollectiveTime> Times() const;

 private:
  struct State;
  State* const state_;
};

}  // namespace sluice::collective
