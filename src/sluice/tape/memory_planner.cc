#include "sluice/tape/memory_planner.h"

#include <iterator>

#include "sluice/base/checked_math.h"

namespace sluice {

int64_t MemoryPlanner::Allocate(int64_t bytes) {
  bytes = AlignUp(bytes > 0 ? bytes : 1, kAlignment);
  auto fit = by_size_.lower_bound({bytes, 0});
  if (fit != by_size_.end()) {
    auto [size, offset] = *fit;
    DropHole(holes_.find(offset));
    if (size > bytes) AddHole(offset + bytes, size - bytes);
    return offset;
  }
  // A hole at the very end may grow instead of being left behind.
  if (!holes_.empty()) {
    auto last = std::prev(holes_.end());
    if (last->first + last->second == end_) {
      int64_t offset = last->first;
      DropHole(last);
      end_ = offset + bytes;
      return offset;
    }
  }
  int64_t offset = end_;
  end_ += bytes;
  return offset;
}

void MemoryPlanner::Release(int64_t offset, int64_t bytes) {
  bytes = AlignUp(bytes > 0 ? bytes : 1, kAlignment);
  auto next = holes_.lower_bound(offset);
  if (next != holes_.end() && offset + bytes == next->first) {
    bytes += next->second;
    auto gone = next++;
    DropHole(gone);
  }
  if (next != holes_.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second == offset) {
      offset = before->first;
      bytes += before->second;
      DropHole(before);
    }
  }
  AddHole(offset, bytes);
}

void MemoryPlanner::AddHole(int64_t offset, int64_t bytes) {
  holes_.emplace(offset, bytes);
  by_size_.emplace(bytes, offset);
}

void MemoryPlanner::DropHole(std::map<int64_t, int64_t>::iterator hole) {
  by_size_.erase({hole->second, hole->first});
  holes_.erase(hole);
}

}  // namespace sluice
