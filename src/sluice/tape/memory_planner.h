// MemoryPlanner: assigns offsets to the values of a linear program. Values are
// added in program order when they are created and released after their last
// use. A value takes the smallest free hole that fits; if none fits, the end
// grows. It needs one pass, and the stack-like lifetimes of programs cause no
// fragmentation.
//
// Lives while a tape is built; used by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>

namespace sluice {

class MemoryPlanner {
 public:
  static constexpr int64_t kAlignment = 64;

  // The offset of `bytes` unused bytes.
  int64_t Allocate(int64_t bytes);
  // REQUIRES: (offset, bytes) came from Allocate and was not released yet.
  void Release(int64_t offset, int64_t bytes);
  // The bytes that the whole program needs.
  int64_t total() const { return end_; }

 private:
  void AddHole(int64_t offset, int64_t bytes);
  void DropHole(std::map<int64_t, int64_t>::iterator hole);

  int64_t end_ = 0;
  std::map<int64_t, int64_t> holes_;               // offset -> bytes
  std::set<std::pair<int64_t, int64_t>> by_size_;  // (bytes, offset)
};

}  // namespace sluice
