// MemoryMeter: measures how much memory of a simulated device is in use over
// virtual time. This differs from what the host has allocated: the host runs
// ahead, and a block that it has freed and reallocated still belongs to its
// former owner until the device gets there. A block is in use from the start of
// the first work that touches it to the end of the last.
//
// Part of a SimWorld, under its lock.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sluice/device/sim/sim_work.h"

namespace sluice {

class MemoryMeter {
 public:
  void Allocated(const ByteRange& range);
  void Freed(const ByteRange& range);
  // The blocks touched by work on these bytes, to be passed to Executed.
  void Touch(const ByteRange& range, std::vector<int>& blocks) const;
  void Executed(const std::vector<int>& blocks, double start, double end);

  // The peak use of memory allocated since the meter was created.
  int64_t MostBytes(const Memory& memory) const;

 private:
  struct Block {
    Memory* memory = nullptr;
    int64_t bytes = 0;
    double start = -1, end = -1;  // below 0: not touched yet
  };
  std::vector<Block> blocks_;
  std::map<const char*, int> live_;  // by address
};

}  // namespace sluice
