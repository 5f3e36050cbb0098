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
#include <utility>
#include <vector>

#include "sluice/device/stream_order.h"

namespace sluice {

class FreeSpace {
 public:
  struct Part {
    char* begin = nullptr;
    int64_t bytes = 0;
    std::vector<UseUntil> uses;  // at most one per stream
  };

  FreeSpace(char* begin, int64_t bytes);

  // The smallest place of `bytes` that `stream` need not wait for: all uses are
  // over, or on that very stream. Where there is none, the smallest place there
  // is; null where there is none of that size. Among places of one size the
  // lowest address, so that the same requests find the same places.
  std::optional<Part> Take(int64_t bytes, const Stream& stream);
  void Give(Part part);

  int64_t num_parts() const { return static_cast<int64_t>(parts_.size()); }

 private:
  using Parts = std::map<char*, Part>;

  // The place that begins in `first`, which may run over later parts.
  struct Run {
    Parts::iterator first;
    int64_t bytes = 0;
  };
  std::optional<Run> FindPart(int64_t bytes, const Stream& stream);
  std::optional<Run> FindRun(int64_t bytes, const Stream* ready_for);
  Part Cut(Run run, int64_t bytes);
  void Insert(Part part);
  Parts::iterator Erase(Parts::iterator part);
  // Makes one part of two that lie side by side and have the same users.
  bool Join(Parts::iterator left, Parts::iterator right);

  Parts parts_;
  std::set<std::pair<int64_t, char*>> by_size_;
};

}  // namespace sluice
