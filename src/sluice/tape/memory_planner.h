// MemoryPlanner: offsets for the values of a linear program. Values are added
// in program order as they come to life and released when they die; a value
// takes the smallest free hole it fits in, else the end grows. One pass, no
// fragmentation on the stack-like lifetimes programs have.
#pragma once

#include <cstdint>
#include <map>
#include <set>

namespace sluice {

class MemoryPlanner {
 public:
  static constexpr int64_t kAlignment = 64;

  // Offset of `bytes` fresh bytes.
  int64_t Allocate(int64_t bytes);
  // REQUIRES: (offset, bytes) came from Allocate and was not released yet.
  void Release(int64_t offset, int64_t bytes);
  // Bytes the whole program needs.
  int64_t total() const { return end_; }

 private:
  void AddHole(int64_t offset, int64_t bytes);
  void DropHole(std::map<int64_t, int64_t>::iterator hole);

  int64_t end_ = 0;
  std::map<int64_t, int64_t> holes_;               // offset -> bytes
  std::set<std::pair<int64_t, int64_t>> by_size_;  // (bytes, offset)
};

}  // namespace sluice
