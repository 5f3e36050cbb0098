// RaceChecker: finds work of simulated devices that touches the same bytes
// without an order between them, whether or not it went wrong this time: a
// missing wait, memory reallocated too early, a copy that is overtaken.
//
// Each stream, and the host, is a participant with a vector clock. Work is
// checked when it is issued. It comes after earlier work of its stream, after
// the events its stream waits for, and after everything the host had seen done
// by then. For each byte the checker keeps the last write and the reads since;
// work that touches the byte and does not come after them is a violation. The
// history stays with the bytes when a block is freed, so it also applies to the
// next owner.
//
// For host memory it knows the accesses of copies and those reported by
// HostAccess. Not thread safe: a world's lock guards it.
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
    kRace,          // two unordered accesses to one block
    kEarlyReuse,    // the same, with a change of owner in between
    kFreed,         // access to memory freed before the work was issued
    kNotAllocated,  // access to memory that was never allocated
  };
  Kind kind = Kind::kRace;
  std::string text;  // both accesses in words
};

class RaceChecker {
 public:
  static constexpr int kHost = 0;

  RaceChecker();
  // Returns the number of a participant. The name is for messages:
  // "/device:sim:0 compute".
  int AddStream(std::string name);

  // Later work of the stream comes after the point of this clock.
  void Wait(int stream, const VectorClock& clock);
  void Issue(int stream, const std::string& label,
             const std::vector<ByteRange>& reads,
             const std::vector<ByteRange>& writes);
  // The clock of everything issued on the stream so far.
  const VectorClock& ClockOf(int stream) const;
  // The host knows that this point was reached; its later work comes after it.
  void HostSaw(const VectorClock& clock);
  void HostAccess(const std::string& label, const ByteRange& range, bool write);

  void Allocated(const ByteRange& range);
  void Freed(const ByteRange& range);
  // Forgets all accesses but not allocations: for work that was not reported.
  void ForgetAccesses();

  // The violations since the last call, once per pair of labels, and at most
  // kMostViolations, because one mistake in a loop causes many.
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
  // Bytes with equal history.
  struct Segment {
    uintptr_t end = 0;
    // The number of the allocation; -1 after it is freed, 0 before the first
    // one and for host memory.
    int64_t block = 0;
    Access write;
    std::vector<Access> reads;
  };
  using Segments = std::map<uintptr_t, Segment>;

  // Splits segments at both ends of the range, fills gaps, and returns the
  // first segment in the range.
  Segments::iterator Cover(Segments& segments, uintptr_t begin, uintptr_t end);
  // Assigns the bytes of the range to a block, and merges segments that no
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
