// SimWorld: simulated devices and the virtual clock they share.
//
// A world is passive: work on its streams waits until a thread drives the world
// by RunOne(), which executes one piece. Threads that wait for an event drive
// it. With one thread, everything runs in the same order each time. Any number
// of threads may drive at once; kernels then run in parallel, but those of one
// stream run one after another.
//
// Time is virtual. The host's clock advances by the cost of each launch, and to
// the time of an event when it waits for one. A piece of work starts when it
// has been issued, the previous work of its stream has ended, and all events
// its stream waits for are reached. Its duration follows from the device's
// figures. Times do not depend on the order of execution, which is by start
// time, or any order that streams and events allow, drawn from a seed.
//
// Thread safe: one lock, which is not held while kernels and callbacks run. The
// world of a test outlives the arrays, events and devices in it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/device/copy_caller.h"
#include "sluice/device/sim/failed_bytes.h"
#include "sluice/device/sim/memory_meter.h"
#include "sluice/device/sim/race_checker.h"
#include "sluice/device/sim/sim_event.h"
#include "sluice/device/sim/sim_options.h"
#include "sluice/device/sim/sim_work.h"
#include "sluice/device/timeline.h"

namespace sluice {

class SimDevice;
class SimStream;

class SimWorld {
 public:
  SimWorld();
  ~SimWorld();
  SimWorld(const SimWorld&) = delete;
  SimWorld& operator=(const SimWorld&) = delete;

  // The world of the devices that programs see; never destroyed.
  static SimWorld& Default();
  // Adds a device to this world only, which owns it: for tests. The first is
  // sim:0. Errors: impossible figures; no room for its addresses.
  Result<SimDevice*> AddDevice(const SimOptions& options = {});

  // Executes a piece of work; false if none can run. Waits for a kernel on
  // another thread if everything else depends on it.
  bool RunOne() SL_EXCLUDES(mu_);
  void RunAll() {
    while (RunOne()) {
    }
  }
  // Drives until the event is reached and advances the host's clock to it.
  void WaitUntilReached(const EventRef& event) SL_EXCLUDES(mu_);

  double host_seconds() const SL_EXCLUDES(mu_);
  // The latest end time of executed work.
  double device_seconds() const SL_EXCLUDES(mu_);
  // Simulates other work of the host.
  void AdvanceHost(double seconds) SL_EXCLUDES(mu_);
  // Executes work in a random order from now on; nullopt: in time order.
  void SetRandomOrder(std::optional<uint64_t> seed) SL_EXCLUDES(mu_);

  // A RaceChecker checks all work issued from now on.
  void SetChecking(bool on) SL_EXCLUDES(mu_);
  std::vector<Violation> TakeViolations() SL_EXCLUDES(mu_);
  // Reports accesses of the host itself to the checker, in memory that copies
  // also touch.
  void HostAccess(const std::string& label, const ByteRange& range, bool write)
      SL_EXCLUDES(mu_);

  // Why these bytes cannot be read: the work that should have written them, or
  // its inputs, failed.
  Status FailureOf(const ByteRange& range) const SL_EXCLUDES(mu_);
  // Measures all memory allocated from now on (memory_meter.h).
  void StartMeter() SL_EXCLUDES(mu_);
  // The peak number of bytes in use at any virtual time; stops measuring.
  int64_t TakeMostBytes(const Memory& memory) SL_EXCLUDES(mu_);

  // Records all work executed from now on.
  void StartTimeline() SL_EXCLUDES(mu_);
  // False if a recording is already in progress.
  bool TryStartTimeline() SL_EXCLUDES(mu_);
  // Sorted by start, then by order of issue; stops recording.
  std::vector<TimelineItem> TakeTimeline() SL_EXCLUDES(mu_);

 private:
  friend class SimEvent;
  friend class SimMemory;
  friend class SimStream;

  struct Callback {
    void (*call)(void*);
    void* context;
  };
  // A piece of work in the queue of its stream.
  struct Item {
    std::string label;
    uint64_t order = 0;   // of issue, over the whole world
    double earliest = 0;  // its issue, and its reached events
    double seconds = 0;
    std::vector<EventRef> waits;        // the unreached events, as far as known
    std::function<void()> run;          // may be null
    std::function<double()> run_timed;  // alternatively: returns seconds to add
    std::shared_ptr<SimEvent> event;    // reached at its end; may be null
    std::vector<Callback> then;
    bool hidden = false;  // not on timelines
    std::vector<ByteRange> reads, writes;
    CopyFailed failed;  // receives its error; null: the stream keeps it
    // For timelines: the issuer, recorded only during a recording.
    int64_t bytes = 0, iteration = -1;
    double issued = 0;
    std::string line;
    std::vector<int> blocks;  // for the meter
  };
  // The state of a stream. Its front item stays during execution, so that
  // events and callbacks can still be attached.
  struct Queue {
    SimStream* stream = nullptr;
    int who = 0;  // participant number for the checker
    std::deque<Item> items;
    std::vector<EventRef> waits;     // for the next item
    bool busy = false;               // its front item is executing
    double end = 0;                  // of the last executed item
    std::shared_ptr<SimEvent> last;  // reached at that end; may be null
    Status error;                    // the first since the last TakeError
  };

  // For streams.
  Queue* AddQueue(SimStream& stream, const std::string& name) SL_EXCLUDES(mu_);
  // Detaches the queue: its device is being destroyed.
  void RemoveQueue(Queue* queue) SL_EXCLUDES(mu_);
  void Issue(Queue& queue, Item item, const std::vector<ByteRange>& reads,
             const std::vector<ByteRange>& writes, double host_seconds)
      SL_EXCLUDES(mu_);
  EventRef Record(Queue& queue) SL_EXCLUDES(mu_);
  void WaitFor(Queue& queue, const EventRef& event) SL_EXCLUDES(mu_);
  void Then(Queue& queue, Callback callback) SL_EXCLUDES(mu_);
  Status TakeError(Queue& queue) SL_EXCLUDES(mu_);
  // For events: the host has learned that it is reached.
  void Saw(SimEvent& event) SL_EXCLUDES(mu_);
  // For memory.
  void Allocated(const ByteRange& range) SL_EXCLUDES(mu_);
  void Freed(const ByteRange& range) SL_EXCLUDES(mu_);

  Item& Push(Queue& queue, Item item) SL_REQUIRES(mu_);
  // Turns waits that belong to no work yet into an item.
  void FlushWaits(Queue& queue) SL_REQUIRES(mu_);
  bool Ready(Item& item) SL_REQUIRES(mu_);
  Queue* Pick() SL_REQUIRES(mu_);
  // Executes the front of a queue: releases the lock during the kernel and
  // holds it again on return.
  void Execute(Queue& queue) SL_REQUIRES(mu_);
  void NoteOutcome(Queue& queue, const Item& item, const Status& status,
                   bool inherited) SL_REQUIRES(mu_);
  VectorClock ClockOf(const Queue& queue) const SL_REQUIRES(mu_);

  mutable Mutex mu_;
  std::condition_variable_any executed_;
  std::vector<std::unique_ptr<Queue>> queues_ SL_GUARDED_BY(mu_);
  uint64_t order_ SL_GUARDED_BY(mu_) = 0;
  int running_ SL_GUARDED_BY(mu_) = 0;  // kernels, over all threads
  double host_seconds_ SL_GUARDED_BY(mu_) = 0;
  double device_seconds_ SL_GUARDED_BY(mu_) = 0;
  std::optional<uint64_t> seed_ SL_GUARDED_BY(mu_);
  uint64_t drawn_ SL_GUARDED_BY(mu_) = 0;
  std::atomic<bool> checking_{false};  // written under the lock
  RaceChecker checker_ SL_GUARDED_BY(mu_);
  FailedBytes failed_ SL_GUARDED_BY(mu_);
  std::optional<std::vector<TimelineItem>> timeline_ SL_GUARDED_BY(mu_);
  std::optional<MemoryMeter> meter_ SL_GUARDED_BY(mu_);
  std::vector<std::unique_ptr<SimDevice>> devices_;
};

}  // namespace sluice
