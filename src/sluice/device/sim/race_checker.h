// RaceChecker: finds work of a simulated device that touches the same bytes
// with nothing that puts it in an order, whether or not it went wrong this
// time: a wait that is missing, memory handed out too early, a copy that is
// overtaken.
//
// Each stream, and the host, is a participant with a vector clock. Work is
// looked at when it is issued: it comes after the work before it in its stream,
// after the events its stream was made to wait for, and after everything the
// host had seen done by then. For each byte the last write and the reads since
// are kept; work that touches it and does not come after them is a violation.
// History stays with the bytes when a block is freed, so its next owner is held
// to the same.
//
// Of the host's memory the copies' side is known, and what HostAccess tells.
// Not thread safe: belongs to a world and its lock.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "sluice/device/sim/sim_work.h"
#include "sluice/device/sim/vector_clock.h"

namespace sluice {

struct Violation {
  enum class Kind {
    kRace,          // two accesses to one block in no order
    kEarlyReuse,    // the same, and the memory changed hands in between
    kFreed,         // of memory that was freed before the work was issued
    kNotAllocated,  // of memory that nobody was given
  };
  Kind kind = Kind::kRace;
  std::string text;  // who did what, and the other side
};

class RaceChecker {
 public:
  static constexpr int kHost = 0;

  RaceChecker();
  // A participant's number. The name is for messages: "/device:sim:0 compute".
  int AddStream(std::string name);

  // The stream's later work comes after the point the clock was taken at.
  void Wait(int stream, const VectorClock& clock);
  void Issue(int stream, const std::string& label,
             const std::vector<ByteRange>& reads,
             const std::vector<ByteRange>& writes);
  // Of everything issued on the stream so far.
  const VectorClock& ClockOf(int stream) const;
  // The host knows that this point was reached; what it issues comes after.
  void HostSaw(const VectorClock& clock);
  void HostAccess(const std::string& label, const ByteRange& range, bool write);

  void Allocated(const ByteRange& range);
  void Freed(const ByteRange& range);
  // Forgets all accesses, not what is allocated: for work that was not told.
  void ForgetAccesses();

  // Those found since the last call, each pair of labels once, and no more than
  // kMostViolations: one mistake in a loop makes many.
  static constexpr size_t kMostViolations = 100;
  std::vector<Violation> Take();

 private:
  struct Access {
    int who = -1;  // -1: none
    uint64_t when = 0;
    int label = 0;
    int64_t block = 0;
    bool operator==(const Access&) const = default;
  };
  // Bytes with the same history.
  struct Segment {
    uintptr_t end = 0;
    // The number of the allocation; -1 once it is freed, 0 before the
    // first one and for memory of the host.
    int64_t block = 0;
    Access write;
    std::vector<Access> reads;
  };
  using Segments = std::map<uintptr_t, Segment>;

  // Cuts segments so that one begins at each end of the range, fills gaps, and
  // returns the first in it.
  Segments::iterator Cover(Segments& segments, uintptr_t begin, uintptr_t end);
  // Gives the range's bytes to a block, and makes one of segments that no
  // longer differ.
  void SetBlock(const ByteRange& range, int64_t block);
  void Touch(const VectorClock& clock, const Access& access,
             const ByteRange& range, bool write);
  void Report(Violation::Kind kind, const Access& access, bool write,
              const ByteRange& range, const Access* earlier,
              bool earlier_write);
  int LabelNumber(const std::string& label);
  std::string Side(const Access& access) const;

  std::vector<std::string> names_;
  std::vector<VectorClock> clocks_;
  std::map<Memory*, Segments> memories_;
  int64_t blocks_ = 0;
  std::vector<std::string> labels_;
  std::unordered_map<std::string, int> label_numbers_;
  std::unordered_map<std::string, bool> reported_;
  std::vector<Violation> violations_;
};

}  // namespace sluice
