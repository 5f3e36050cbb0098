#include "sluice/device/sim/memory_meter.h"

#include <algorithm>

namespace sluice {

void MemoryMeter::Allocated(const ByteRange& range) {
  live_[static_cast<const char*>(range.address)] =
      static_cast<int>(blocks_.size());
  blocks_.push_back({range.memory, range.bytes});
}

void MemoryMeter::Freed(const ByteRange& range) {
  live_.erase(static_cast<const char*>(range.address));
}

void MemoryMeter::Touch(const ByteRange& range,
                        std::vector<int>& blocks) const {
  if (!range.memory) return;
  auto it = live_.upper_bound(static_cast<const char*>(range.address));
  if (it == live_.begin()) return;
  --it;
  const Block& block = blocks_[static_cast<size_t>(it->second)];
  if (it->first + block.bytes <= static_cast<const char*>(range.address)) {
    return;
  }
  blocks.push_back(it->second);
}

void MemoryMeter::Executed(const std::vector<int>& blocks, double start,
                           double end) {
  for (int id : blocks) {
    Block& block = blocks_[static_cast<size_t>(id)];
    block.start = block.start < 0 ? start : std::min(block.start, start);
    block.end = std::max(block.end, end);
  }
}

int64_t MemoryMeter::MostBytes(const Memory& memory) const {
  // At one time, what ends goes before what starts.
  std::vector<std::pair<double, int64_t>> changes;
  for (const Block& block : blocks_) {
    if (block.memory != &memory || block.start < 0) continue;
    changes.emplace_back(block.start, block.bytes);
    changes.emplace_back(block.end, -block.bytes);
  }
  std::sort(changes.begin(), changes.end());
  int64_t live = 0, most = 0;
  for (auto [time, bytes] : changes) {
    live += bytes;
    most = std::max(most, live);
  }
  return most;
}

}  // namespace sluice
