#include "sluice/device/sim/failed_bytes.h"

namespace sluice {

namespace {

char* Begin(const ByteRange& range) {
  return static_cast<char*>(range.address);
}
char* End(const ByteRange& range) { return Begin(range) + range.bytes; }

bool Overlap(const ByteRange& a, const ByteRange& b) {
  return a.memory == b.memory && Begin(a) < End(b) && Begin(b) < End(a);
}

}  // namespace

Status FailedBytes::Of(const std::vector<ByteRange>& ranges) const {
  for (const Failed& failed : all_) {
    for (const ByteRange& range : ranges) {
      if (Overlap(failed.range, range)) return failed.why;
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
      if (!Overlap(failed.range, good)) {
        left.push_back(std::move(failed));
        continue;
      }
      const ByteRange whole = failed.range;
      if (Begin(whole) < Begin(good)) {
        left.push_back(
            {{whole.memory, Begin(whole), Begin(good) - Begin(whole)},
             failed.why});
      }
      if (End(good) < End(whole)) {
        left.push_back(
            {{whole.memory, End(good), End(whole) - End(good)}, failed.why});
      }
    }
    all_ = std::move(left);
  }
}

}  // namespace sluice
