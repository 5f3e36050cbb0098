// SimWorld: simulated devices and the virtual clock they share.
//
// A world is passive: work given to its streams waits until somebody drives it
// by RunOne(), which executes one piece; whoever waits for an event drives. So
// one thread runs everything, in the same order each time; any number of
// threads may drive at once, and kernels then run side by side, those of one
// stream one after the other.
//
// Time is virtual. The host's clock moves by what each launch costs it, and to
// an event's time when it waits for one. A piece of work starts when it has
// been issued, the one before it in its stream has ended and all events its
// stream was made to wait for are reached; it ends after what it costs by the
// device's figures. Times do not depend on the order in which pieces are
// executed, which is by their start, or any order that streams and events
// allow, drawn from a seed.
//
// Thread safe: one lock, which is not held while kernels and callbacks run. A
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

  // Of the devices that programs see; never destroyed.
  static SimWorld& Default();
  // A device of this world alone, which owns it: for tests. The first is
  // called sim:0. Errors: figures that cannot be; no room for its addresses.
  Result<SimDevice*> AddDevice(const SimOptions& options = {});

  // Executes a piece of work; false when there is none that could be. Waits for
  // a kernel on another thread when all else has to.
  bool RunOne() SL_EXCLUDES(mu_);
  void RunAll() {
    while (RunOne()) {
    }
  }
  // Drives until the event is reached and moves the host's clock there.
  void WaitUntilReached(const EventRef& event) SL_EXCLUDES(mu_);

  double host_seconds() const SL_EXCLUDES(mu_);
  // The latest end of what was executed.
  double device_seconds() const SL_EXCLUDES(mu_);
  // The host does something else for a while.
  void AdvanceHost(double seconds) SL_EXCLUDES(mu_);
  // Work is executed in a random order from now on; nullopt: in order of time.
  void SetRandomOrder(std::optional<uint64_t> seed) SL_EXCLUDES(mu_);

  // Work that is issued from now on is looked at by a RaceChecker.
  void SetChecking(bool on) SL_EXCLUDES(mu_);
  std::vector<Violation> TakeViolations() SL_EXCLUDES(mu_);
  // What the host does itself, for the checker: it touches memory that copies
  // touch as well.
  void HostAccess(const std::string& label, const ByteRange& range, bool write)
      SL_EXCLUDES(mu_);

  // Why these bytes cannot be read: the work that was to write them, or what it
  // read, has failed.
  Status FailureOf(const ByteRange& range) const SL_EXCLUDES(mu_);
  // What is allocated from now on is metered (memory_meter.h).
  void StartMeter() SL_EXCLUDES(mu_);
  // The most bytes that work had in use at any virtual time; ends it.
  int64_t TakeMostBytes(const Memory& memory) SL_EXCLUDES(mu_);

  // What is executed from now on is written down.
  void StartTimeline() SL_EXCLUDES(mu_);
  // False when it is written down already.
  bool TryStartTimeline() SL_EXCLUDES(mu_);
  // By start, then in the order of issue; ends the recording.
  std::vector<TimelineItem> TakeTimeline() SL_EXCLUDES(mu_);

 private:
  friend class SimEvent;
  friend class SimMemory;
  friend class SimStream;

  struct Callback {
    void (*call)(void*);
    void* context;
  };
  // A piece of work in its stream's queue.
  struct Item {
    std::string label;
    uint64_t order = 0;   // of issue, in the world
    double earliest = 0;  // its issue, and the awaited events that are reached
    double seconds = 0;
    std::vector<EventRef> waits;        // those that are not, as far as known
    std::function<void()> run;          // may be null
    std::function<double()> run_timed;  // or this, which tells seconds to add
    std::shared_ptr<SimEvent> event;    // reached with it; null: nobody asked
    std::vector<Callback> then;
    bool hidden = false;  // from timelines
    std::vector<ByteRange> reads, writes;
    CopyFailed failed;  // hears of its error; null: the stream keeps it
    // For timelines: who issued it, filled in while one is kept.
    int64_t bytes = 0, iteration = -1;
    double issued = 0;
    std::string line;
    std::vector<int> blocks;  // for the meter
  };
  // The state of a stream. Its front item stays while it is executed, so that
  // events and callbacks can still be hung on it.
  struct Queue {
    SimStream* stream = nullptr;
    int who = 0;  // to the checker
    std::deque<Item> items;
    std::vector<EventRef> waits;     // for the next item
    bool busy = false;               // its front item is being executed
    double end = 0;                  // of the last one executed
    std::shared_ptr<SimEvent> last;  // reached with that one; null: not asked
    Status error;                    // the first since it was taken
  };

  // For streams.
  Queue* AddQueue(SimStream& stream, const std::string& name) SL_EXCLUDES(mu_);
  // Ends the queue's part: its device goes away.
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
  // Makes waits that no work carries yet an item of their own.
  void FlushWaits(Queue& queue) SL_REQUIRES(mu_);
  bool Ready(Item& item) SL_REQUIRES(mu_);
  Queue* Pick() SL_REQUIRES(mu_);
  // Executes the front of a queue: gives up the lock for the kernel and has it
  // again at the end.
  void Execute(Queue& queue) SL_REQUIRES(mu_);
  void NoteOutcome(Queue& queue, const Item& item, const Status& status,
                   bool inherited) SL_REQUIRES(mu_);
  VectorClock ClockOf(const Queue& queue) const SL_REQUIRES(mu_);

  mutable Mutex mu_;
  std::condition_variable_any executed_;
  std::vector<std::unique_ptr<Queue>> queues_ SL_GUARDED_BY(mu_);
  uint64_t order_ SL_GUARDED_BY(mu_) = 0;
  int running_ SL_GUARDED_BY(mu_) = 0;  // kernels, on all threads
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
