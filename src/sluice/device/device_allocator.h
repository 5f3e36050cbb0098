// DeviceAllocator: allocates from one address range of a device, in stream
// order. A freed block that streams still use can be reallocated at once: to
// the same stream directly, to another stream after making it wait. The host
// never waits.
//
// Every requested byte is counted, and the limit applies to that count on the
// device as well: if there are more addresses than memory, a stream waits for
// freed memory rather than take unused addresses. If memory runs out, caches
// give theirs back (reclaimer.h). Thread safe: one lock is held while events
// are recorded and awaited. Lives as long as its device.
#pragma once

#include <memory>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/device/device.h"
#include "sluice/device/free_space.h"
#include "sluice/tensor/allocator.h"
#include "sluice/tensor/live_blocks.h"

namespace sluice {

// Observes the blocks of an allocator. Called under the allocator's lock, thus
// in the order in which blocks change owners.
class AllocationWatcher {
 public:
  virtual ~AllocationWatcher() = default;
  // Whether this request must fail, for tests of failures.
  virtual bool Refuse(int64_t) { return false; }
  // Maps memory at these addresses; false: no memory is left.
  virtual bool Provide(void*, int64_t) { return true; }
  // `home` already waits for earlier users. Returns whether it was given work
  // on the block, so that other streams must wait for it.
  virtual bool Allocated(Stream& home, void* address, int64_t bytes) = 0;
  virtual void Freed(void* address, int64_t bytes) = 0;
};

class DeviceAllocator final : public Allocator, public TellsLive {
 public:
  // An address range that the host need not be able to read. `watcher` may be
  // null.
  struct Range {
    char* begin = nullptr;
    int64_t bytes = 0;
    // Blocks smaller than this are freed without an event in their stream,
    // where recording one costs as much as a launch. Another stream that takes
    // such a block waits for all work its home stream has by then.
    int64_t mark_from = 0;
  };
  DeviceAllocator(Memory& memory, Stream& compute, Range range, int64_t limit,
                  AllocationWatcher* watcher = nullptr);
  ~DeviceAllocator() override;

  // A block that work on `stream` may use from now on. If another stream fills
  // the block, allocate for that stream: it then waits only for earlier users
  // of the memory.
  Block AllocateFor(Stream& stream, int64_t bytes) SL_EXCLUDES(mu_);
  // The same as an Allocator, for Array::Make; lives as long as this one.
  Allocator& For(Stream& stream) SL_EXCLUDES(mu_);

  // Allocates for the compute stream.
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
  // Until a second stream allocates, no stream waits for a block used only on
  // its home stream, so its end needs no event.
  bool several_streams_ SL_GUARDED_BY(mu_) = false;
  int64_t limit_ SL_GUARDED_BY(mu_);
  int64_t in_use_ SL_GUARDED_BY(mu_) = 0;   // requested bytes
  int64_t rounded_ SL_GUARDED_BY(mu_) = 0;  // the same, rounded to blocks
  int64_t touched_ SL_GUARDED_BY(mu_) = 0;  // bytes of the range ever used
  int64_t peak_ SL_GUARDED_BY(mu_) = 0;
  int64_t allocations_ SL_GUARDED_BY(mu_) = 0;
  std::vector<std::unique_ptr<Record>> records_ SL_GUARDED_BY(mu_);
  std::vector<Record*> unused_records_ SL_GUARDED_BY(mu_);
  std::vector<std::unique_ptr<ForStream>> for_streams_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice
