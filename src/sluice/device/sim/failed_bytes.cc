#include "sluice/device/sim/failed_bytes.h"

namespace sluice {

namespace {

ByteRange Between(Memory* memory, uintptr_t begin, uintptr_t end) {
  return {memory, reinterpret_cast<void*>(begin),
          static_cast<int64_t>(end - begin)};
}

}  // namespace

Status FailedBytes::Of(const std::vector<ByteRange>& ranges) const {
  for (const Failed& failed : all_) {
    for (const ByteRange& range : ranges) {
      if (failed.range.Overlaps(range)) return failed.why;
    }
  }
  return OkStatus();
}

void FailedBytes::Add(const std::vector<ByteRange>& ranges, const Status& why) {
  Remove(ranges);
  for (const ByteRange& range : ranges) {
    // The host's bytes are its own: who asked for them was told.
    if (range.memory && range.bytes > 0) all_.push_back({range, why});
  }
}

void FailedBytes::Remove(const std::vector<ByteRange>& ranges) {
  for (const ByteRange& good : ranges) {
    std::vector<Failed> left;
    for (Failed& failed : all_) {
      if (!failed.range.Overlaps(good)) {
        left.push_back(std::move(failed));
        continue;
      }
      const ByteRange whole = failed.range;
      if (whole.begin() < good.begin()) {
        left.push_back(
            {Between(whole.memory, whole.begin(), good.begin()), failed.why});
      }
      if (good.end() < whole.end()) {
        left.push_back(
            {Between(whole.memory, good.end(), whole.end()), failed.why});
      }
    }
    all_ = std::move(left);
  }
}

}  // namespace sluice
