// DeviceAllocator: hands out one range of a device's addresses, in the order of
// its streams. A block that is freed while streams still use it is handed out
// again at once: to the same stream as it is, to another one after it has been
// made to wait. The host never waits.
//
// Every byte that is asked for is counted, and the limit holds for that count,
// on the device as well: where there are more addresses than memory, a stream
// waits for memory that was freed rather than take addresses nobody used. Where
// there is no more, those who keep some for later give it back (reclaimer.h).
// Thread safe: one lock, held while events are recorded and awaited. Lives as
// long as its device.
#pragma once

#include <memory>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/device/device.h"
#include "sluice/device/free_space.h"
#include "sluice/tensor/allocator.h"
#include "sluice/tensor/live_blocks.h"

namespace sluice {

// Follows each block of an allocator. Called under the allocator's lock, so in
// the order in which blocks change hands.
class AllocationWatcher {
 public:
  virtual ~AllocationWatcher() = default;
  // Whether this request is to fail, for tests of what happens then.
  virtual bool Refuse(int64_t) { return false; }
  // Sees to it that there is memory behind these addresses; false: there is no
  // more.
  virtual bool Provide(void*, int64_t) { return true; }
  // `home` has been made to wait for what it must. Returns whether it was given
  // work on the block, so that other streams have to come after it.
  virtual bool Allocated(Stream& home, void* address, int64_t bytes) = 0;
  virtual void Freed(void* address, int64_t bytes) = 0;
};

class DeviceAllocator final : public Allocator, public TellsLive {
 public:
  // Of addresses that nobody reads here: they may be a device's. The watcher
  // may be null.
  struct Range {
    char* begin = nullptr;
    int64_t bytes = 0;
    // Blocks below this many bytes are freed without a mark in their stream,
    // where marking costs as much as a launch: another stream that takes one
    // waits for all that its home has been given by then.
    int64_t mark_from = 0;
  };
  DeviceAllocator(Memory& memory, Stream& compute, Range range, int64_t limit,
                  AllocationWatcher* watcher = nullptr);
  ~DeviceAllocator() override;

  // A block that work on `stream` may use from now on. One that another stream
  // fills is best asked for in that stream's name: it then waits for nothing
  // but former users of the memory.
  Block AllocateFor(Stream& stream, int64_t bytes) SL_EXCLUDES(mu_);
  // The same as an allocator, for Array::Make; lives as long as this one.
  Allocator& For(Stream& stream) SL_EXCLUDES(mu_);

  // For the compute stream.
  Block Allocate(int64_t bytes) override;
  void Free(Block block) override SL_EXCLUDES(mu_);
  AllocatorStats stats() const override SL_EXCLUDES(mu_);
  void ResetPeak() override SL_EXCLUDES(mu_);
  void SetLimit(int64_t bytes) override SL_EXCLUDES(mu_);
  void ReleaseCached() override {}
  Live TellLive() const override SL_EXCLUDES(mu_);
  int64_t limit() const override SL_EXCLUDES(mu_);

  static constexpr int64_t kAlignment = 256;

 private:
  class ForStream;
  struct Record;

  Block TryAllocate(Stream& stream, int64_t bytes) SL_EXCLUDES(mu_);
  Record* NewRecord() SL_REQUIRES(mu_);

  Stream& compute_;
  const Range range_;
  AllocationWatcher* const watcher_;
  mutable Mutex mu_;
  FreeSpace free_ SL_GUARDED_BY(mu_);
  // Until a second stream asks for memory nobody waits for a block that was
  // used on its home stream alone, so its end is not marked.
  bool several_streams_ SL_GUARDED_BY(mu_) = false;
  int64_t limit_ SL_GUARDED_BY(mu_);
  int64_t in_use_ SL_GUARDED_BY(mu_) = 0;   // bytes asked for
  int64_t rounded_ SL_GUARDED_BY(mu_) = 0;  // the same as blocks
  int64_t touched_ SL_GUARDED_BY(mu_) = 0;  // of the range, ever
  int64_t peak_ SL_GUARDED_BY(mu_) = 0;
  int64_t allocations_ SL_GUARDED_BY(mu_) = 0;
  std::vector<std::unique_ptr<Record>> records_ SL_GUARDED_BY(mu_);
  std::vector<Record*> unused_records_ SL_GUARDED_BY(mu_);
  std::vector<std::unique_ptr<ForStream>> for_streams_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice
