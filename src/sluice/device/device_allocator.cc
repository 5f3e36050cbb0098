#include "sluice/device/device_allocator.h"

#include <algorithm>

#include "sluice/device/reclaimer.h"

namespace sluice {

// The record of a block: Block::record points at its BlockUse.
struct DeviceAllocator::Record : BlockUse {
  int64_t asked = 0;
  int64_t rounded = 0;
  bool live = false;
  AllocationSite site;
};

class DeviceAllocator::ForStream final : public Allocator, public TellsLive {
 public:
  ForStream(DeviceAllocator& parent, Stream& stream)
      : parent_(parent), stream_(stream) {
    memory_ = parent.memory();
  }
  Stream& stream() const { return stream_; }
  Block Allocate(int64_t bytes) override {
    return parent_.AllocateFor(stream_, bytes);
  }
  void Free(Block block) override { parent_.Free(block); }
  AllocatorStats stats() const override { return parent_.stats(); }
  void ResetPeak() override { parent_.ResetPeak(); }
  void SetLimit(int64_t bytes) override { parent_.SetLimit(bytes); }
  void ReleaseCached() override { parent_.ReleaseCached(); }
  Live TellLive() const override { return parent_.TellLive(); }
  int64_t limit() const override { return parent_.limit(); }

 private:
  DeviceAllocator& parent_;
  Stream& stream_;
};

DeviceAllocator::DeviceAllocator(Memory& memory, Stream& compute, Range range,
                                 int64_t limit, AllocationWatcher* watcher)
    : compute_(compute),
      range_(range),
      watcher_(watcher),
      free_(range.begin, range.bytes / kAlignment * kAlignment,
            range.mark_from),
      limit_(limit) {
  memory_ = &memory;
}
DeviceAllocator::~DeviceAllocator() = default;

DeviceAllocator::Record* DeviceAllocator::NewRecord() {
  if (unused_records_.empty()) {
    records_.push_back(std::make_unique<Record>());
    return records_.back().get();
  }
  Record* record = unused_records_.back();
  unused_records_.pop_back();
  return record;
}

Allocator& DeviceAllocator::For(Stream& stream) {
  if (&stream == &compute_) return *this;
  MutexLock lock(mu_);
  for (const auto& there : for_streams_) {
    if (&there->stream() == &stream) return *there;
  }
  for_streams_.push_back(std::make_unique<ForStream>(*this, stream));
  return *for_streams_.back();
}

Block DeviceAllocator::Allocate(int64_t bytes) {
  return AllocateFor(compute_, bytes);
}

Block DeviceAllocator::AllocateFor(Stream& stream, int64_t bytes) {
  Block block = TryAllocate(stream, bytes);
  if (block.data || !Reclaimer::AllGiveBack()) return block;
  return TryAllocate(stream, bytes);
}

Block DeviceAllocator::TryAllocate(Stream& stream, int64_t bytes) {
  if (bytes < 0 || bytes > range_.bytes) return {};
  // Blocks of no bytes have an address too.
  int64_t rounded =
      (std::max<int64_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  MutexLock lock(mu_);
  several_streams_ |= &stream != &compute_;
  if (bytes > limit_ - in_use_) return {};
  if (watcher_ && watcher_->Refuse(bytes)) return {};
  std::optional<FreeSpace::Part> part = free_.Take(rounded, stream);
  if (!part) return {};
  if (watcher_ && !watcher_->Provide(part->begin, rounded)) {
    free_.Give(*std::move(part));
    return {};
  }
  bool fresh = true;
  auto come_after = [&](std::vector<UseUntil>& uses) {
    for (UseUntil& use : uses) {
      fresh = fresh && use.event && use.event->Reached();
      if (use.stream != &stream) stream.WaitFor(use.Mark());
    }
  };
  come_after(part->uses);
  in_use_ += bytes;
  if (int64_t over = in_use_ + free_.owed() - limit_; over > 0) {
    std::vector<UseUntil> uses = free_.Settle(over, stream);
    come_after(uses);
  }
  rounded_ += rounded;
  peak_ = std::max(peak_, in_use_);
  touched_ = std::max(touched_, part->begin + rounded - range_.begin);
  ++allocations_;
  if (watcher_ && watcher_->Allocated(stream, part->begin, rounded)) {
    fresh = false;
  }
  Record* record = NewRecord();
  record->asked = bytes;
  record->rounded = rounded;
  record->live = true;
  record->site = AllocatesFor::Current();
  record->Begin(stream, fresh);
  return {part->begin, rounded, static_cast<BlockUse*>(record)};
}

void DeviceAllocator::Free(Block block) {
  if (!block.data) return;
  auto* record = static_cast<Record*>(static_cast<BlockUse*>(block.record));
  MutexLock lock(mu_);
  if (watcher_) watcher_->Freed(block.data, record->rounded);
  bool mark = several_streams_ && record->rounded >= range_.mark_from;
  free_.Give({static_cast<char*>(block.data), record->rounded,
              record->End(mark), record->asked});
  in_use_ -= record->asked;
  rounded_ -= record->rounded;
  record->live = false;
  unused_records_.push_back(record);
}

AllocatorStats DeviceAllocator::stats() const {
  MutexLock lock(mu_);
  AllocatorStats stats;
  stats.bytes_in_use = in_use_;
  stats.peak_bytes = peak_;
  stats.bytes_cached = touched_ - rounded_;
  stats.allocations = allocations_;
  return stats;
}

TellsLive::Live DeviceAllocator::TellLive() const {
  MutexLock lock(mu_);
  Live live;
  live.limit = limit_;
  for (const auto& record : records_) {
    if (record->live) live.groups.push_back({record->site, record->asked, 1});
  }
  return live;
}

int64_t DeviceAllocator::limit() const {
  MutexLock lock(mu_);
  return limit_;
}

void DeviceAllocator::ResetPeak() {
  MutexLock lock(mu_);
  peak_ = in_use_;
}

void DeviceAllocator::SetLimit(int64_t bytes) {
  MutexLock lock(mu_);
  limit_ = bytes;
}

}  // namespace sluice
