// FreeSpace: the free parts of one range of device addresses, each with the
// streams that may still use its former content.
//
// Parts stay separate while their pending uses differ, so that a large part
// without pending uses does not acquire any. A request may span several
// adjacent parts. Not thread safe: belongs to an allocator.
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
    // The number of its bytes that the device has no memory for yet: the device
    // is behind the host, and other parts still hold that memory.
    int64_t owed = 0;
  };

  // Freed blocks of at most `apart_up_to` bytes are kept intact for a while,
  // for the next request of the same size on their stream, because programs
  // request the same few sizes repeatedly. 0: none are kept.
  FreeSpace(char* begin, int64_t bytes, int64_t apart_up_to = 0);

  // The smallest place of `bytes` that `stream` need not wait for: all uses are
  // over, or are on that stream. If there is none, the smallest place at all;
  // null if none is large enough. Equal sizes are resolved by the lowest
  // address, so that the same requests find the same places.
  std::optional<Part> Take(int64_t bytes, const Stream& stream);
  void Give(Part part);

  // A device may have more addresses than memory. Bytes that are free for the
  // host remain in use on the device until their uses end: this is their total.
  int64_t owed() const { return owed_; }
  // Deducts at least `bytes` from owed() and returns the uses that `stream`
  // must wait for instead, oldest first, preferring those it need not wait for.
  // REQUIRES: bytes <= owed().
  std::vector<UseUntil> Settle(int64_t bytes, const Stream& stream);

  int64_t num_parts() const {
    return static_cast<int64_t>(parts_.size() + num_apart_);
  }

 private:
  using Parts = std::map<char*, Part>;

  bool KeepApart(Part& part);
  std::optional<Part> TakeApart(int64_t bytes, const Stream& stream);
  void GiveApart();  // merges the separate blocks into the others

  // A place that starts in `first` and may extend over later parts.
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
  // Merges two adjacent parts if they have the same uses, or no pending ones: a
  // merge must not add waits.
  void Join(Part part);  // adds it, merged with its neighbours if possible
  bool Join(Parts::iterator left, Parts::iterator right);
  void JoinAll();

  const int64_t apart_up_to_;
  std::unordered_map<int64_t, std::vector<Part>> apart_;  // by size
  size_t num_apart_ = 0;
  int64_t bytes_apart_ = 0;
  Parts parts_;
  int64_t owed_ = 0;
  size_t joined_parts_ = 0;  // their number after the last JoinAll()
  std::set<std::pair<int64_t, char*>> by_size_;
  std::set<std::pair<uint64_t, char*>> by_age_;  // the parts with owed bytes
};

}  // namespace sluice
