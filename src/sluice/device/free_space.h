// FreeSpace: the free parts of one range of device addresses, each with the
// streams that may still use what was there.
//
// Parts are kept apart as long as they differ in who may still use them, so
// that a large part nobody waits for does not become one that somebody does;
// a request may take several parts that lie side by side. Not thread safe:
// belongs to an allocator.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sluice/device/stream_order.h"

namespace sluice {

class FreeSpace {
 public:
  struct Part {
    char* begin = nullptr;
    int64_t bytes = 0;
    std::vector<UseUntil> uses = {};  // at most one per stream
    // Of its bytes, those that the device has no memory for yet: it is behind
    // the host, and others are still there.
    int64_t owed = 0;
  };

  // Blocks of at most `apart_up_to` bytes that come back are kept as they are
  // for a while, for the next request of their size on their stream: programs
  // ask for the same few sizes again and again. 0: none are.
  FreeSpace(char* begin, int64_t bytes, int64_t apart_up_to = 0);

  // The smallest place of `bytes` that `stream` need not wait for: all uses are
  // over, or on that very stream. Where there is none, the smallest place there
  // is; null where there is none of that size. Among places of one size the
  // lowest address, so that the same requests find the same places.
  std::optional<Part> Take(int64_t bytes, const Stream& stream);
  void Give(Part part);

  // A device may have more addresses than memory. Bytes that are free to the
  // host are still the device's until their uses are over: so many in all.
  int64_t owed() const { return owed_; }
  // Takes at least `bytes` off that, and returns what `stream` has to wait for
  // instead: of the oldest those it need not wait for first.
  // REQUIRES: bytes <= owed().
  std::vector<UseUntil> Settle(int64_t bytes, const Stream& stream);

  int64_t num_parts() const {
    return static_cast<int64_t>(parts_.size() + num_apart_);
  }

 private:
  using Parts = std::map<char*, Part>;

  bool KeepApart(Part& part);
  std::optional<Part> TakeApart(int64_t bytes, const Stream& stream);
  void GiveApart();  // all of them to where the others are

  // The place that begins in `first`, which may run over later parts.
  struct Run {
    Parts::iterator first;
    int64_t bytes = 0;
  };
  std::optional<Run> FindPart(int64_t bytes, const Stream& stream);
  std::optional<Run> FindRun(int64_t bytes, const Stream* ready_for);
  Part Cut(Run run, int64_t bytes);
  void Insert(Part part);
  void Index(const Part& part);
  void Unindex(const Part& part);
  // Makes one part of two that lie side by side and have the same uses, or none
  // that is not over: nothing is waited for that need not be.
  void Join(Part part);  // puts it beside those there, as one where it can be
  bool Join(Parts::iterator left, Parts::iterator right);
  void JoinAll();

  const int64_t apart_up_to_;
  std::unordered_map<int64_t, std::vector<Part>> apart_;  // by size
  size_t num_apart_ = 0;
  int64_t bytes_apart_ = 0;
  Parts parts_;
  int64_t owed_ = 0;
  size_t joined_parts_ = 0;  // how many there were after the last JoinAll()
  std::set<std::pair<int64_t, char*>> by_size_;
  std::set<std::pair<uint64_t, char*>> by_age_;  // those that owe bytes
};

}  // namespace sluice
