#include "sluice/device/sim/sim_world.h"

#include <algorithm>
#include <thread>
#include <tuple>
#include <utility>

#include "sluice/base/caught.h"
#include "sluice/base/random.h"
#include "sluice/device/sim/sim_device.h"
#include "sluice/device/sim/sim_stream.h"
#include "sluice/tensor/live_blocks.h"

namespace sluice {

namespace {
// A kernel that waited for other work would wait for itself.
thread_local bool in_kernel = false;

SimEvent* OfWorld(const EventRef& event, const SimWorld& world) {
  auto* sim = dynamic_cast<SimEvent*>(event.get());
  return sim && &sim->world() == &world ? sim : nullptr;
}
}  // namespace

bool SimEvent::Reached() {
  if (!executed()) return false;
  if (!seen_.load(std::memory_order_relaxed)) world_.Saw(*this);
  return true;
}

SimWorld::SimWorld() = default;

SimWorld::~SimWorld() {
  // What work was given may be arrays of devices, so it goes before them.
  std::vector<std::deque<Item>> left;
  {
    MutexLock lock(mu_);
    for (auto& queue : queues_) left.push_back(std::move(queue->items));
  }
  left.clear();
  devices_.clear();
}

SimWorld& SimWorld::Default() {
  static auto* world = new SimWorld;
  return *world;
}

Result<SimDevice*> SimWorld::AddDevice(const SimOptions& options) {
  SL_ASSIGN_OR_RETURN(
      std::unique_ptr<SimDevice> device,
      SimDevice::Make(*this, static_cast<int>(devices_.size()), options));
  devices_.push_back(std::move(device));
  return devices_.back().get();
}

SimWorld::Queue* SimWorld::AddQueue(SimStream& stream,
                                    const std::string& name) {
  MutexLock lock(mu_);
  queues_.push_back(std::make_unique<Queue>());
  queues_.back()->stream = &stream;
  queues_.back()->who = checker_.AddStream(name);
  return queues_.back().get();
}

void SimWorld::RemoveQueue(Queue* queue) {
  std::unique_ptr<Queue> removed;
  MutexLock lock(mu_);
  for (auto& there : queues_) {
    if (there.get() == queue) removed = std::move(there);
  }
  std::erase(queues_, nullptr);
}

VectorClock SimWorld::ClockOf(const Queue& queue) const {
  return checking_ ? checker_.ClockOf(queue.who) : VectorClock();
}

SimWorld::Item& SimWorld::Push(Queue& queue, Item item) {
  item.order = order_++;
  item.earliest = std::max(item.earliest, host_seconds_);
  item.waits = std::exchange(queue.waits, {});
  queue.last = nullptr;
  queue.items.push_back(std::move(item));
  return queue.items.back();
}

void SimWorld::FlushWaits(Queue& queue) {
  if (queue.waits.empty()) return;
  Item mark;
  mark.hidden = true;
  Push(queue, std::move(mark));
}

void SimWorld::Issue(Queue& queue, Item item,
                     const std::vector<ByteRange>& reads,
                     const std::vector<ByteRange>& writes,
                     double host_seconds) {
  MutexLock lock(mu_);
  host_seconds_ += host_seconds;
  if (checking_) checker_.Issue(queue.who, item.label, reads, writes);
  item.reads = reads;
  item.writes = writes;
  if (meter_) {
    for (const ByteRange& range : reads) meter_->Touch(range, item.blocks);
    for (const ByteRange& range : writes) meter_->Touch(range, item.blocks);
  }
  if (timeline_) {
    item.issued = host_seconds_;
    item.iteration = IssuesFor::Current();
    SourceLine line = AllocatesFor::Current().line;
    if (line.known()) item.line = line.ToString();
  }
  Push(queue, std::move(item));
}

EventRef SimWorld::Record(Queue& queue) {
  MutexLock lock(mu_);
  FlushWaits(queue);
  std::shared_ptr<SimEvent>& event =
      queue.items.empty() ? queue.last : queue.items.back().event;
  if (!event) {
    event = std::make_shared<SimEvent>(*this, ClockOf(queue));
    if (queue.items.empty()) event->Execute(queue.end);
  }
  return event;
}

void SimWorld::WaitFor(Queue& queue, const EventRef& event) {
  if (!event) return;
  SimEvent* sim = OfWorld(event, *this);
  if (!sim && event->Reached()) return;
  MutexLock lock(mu_);
  if (sim && checking_) checker_.Wait(queue.who, sim->clock());
  // Nothing that is issued from now on starts earlier.
  if (sim && sim->executed() && sim->seconds() <= host_seconds_) return;
  queue.waits.push_back(event);
}

void SimWorld::Then(Queue& queue, Callback callback) {
  {
    MutexLock lock(mu_);
    FlushWaits(queue);
    if (!queue.items.empty()) {
      Item& last = queue.items.back();
      // The event tells what the host knows once it is called.
      if (!last.event) {
        last.event = std::make_shared<SimEvent>(*this, ClockOf(queue));
      }
      last.then.push_back(callback);
      return;
    }
    host_seconds_ = std::max(host_seconds_, queue.end);
    if (checking_) checker_.HostSaw(checker_.ClockOf(queue.who));
  }
  callback.call(callback.context);
}

Status SimWorld::TakeError(Queue& queue) {
  MutexLock lock(mu_);
  return std::exchange(queue.error, {});
}

bool SimWorld::Ready(Item& item) {
  std::erase_if(item.waits, [&](const EventRef& event) {
    SL_CHECK(event != nullptr);
    auto* sim = dynamic_cast<SimEvent*>(event.get());
    if (!sim) return event->Reached();
    if (!sim->executed()) return false;
    // The clock of another world tells nothing here.
    if (&sim->world() == this) {
      item.earliest = std::max(item.earliest, sim->seconds());
    }
    return true;
  });
  return item.waits.empty();
}

SimWorld::Queue* SimWorld::Pick() {
  Queue* best = nullptr;
  double best_start = 0;
  uint32_t ready = 0;
  for (const auto& queue : queues_) {
    if (queue->busy || queue->items.empty()) continue;
    Item& item = queue->items.front();
    if (!Ready(item)) continue;
    double start = std::max(item.earliest, queue->end);
    if (seed_) {
      // Each of those seen so far with equal chance.
      ++ready;
      if (RandomBits({*seed_, 0}, drawn_++)[0] % ready == 0) best = queue.get();
    } else if (!best || start < best_start ||
               (start == best_start &&
                item.order < best->items.front().order)) {
      best = queue.get();
      best_start = start;
    }
  }
  return best;
}

void SimWorld::Execute(Queue& queue) {
  queue.busy = true;
  ++running_;
  // Stays where it is: others may hang events on it, none may take it away.
  Item& item = queue.items.front();
  double start = std::max(item.earliest, queue.end);
  double seconds = item.seconds;
  Status status = failed_.empty() ? OkStatus() : failed_.Of(item.reads);
  const bool inherited = !status.ok();
  mu_.unlock();
  if (!inherited && (item.run || item.run_timed)) {
    OpenMemory open(queue.stream->memory());
    in_kernel = true;
    status = Guarded([&]() -> Status {
      if (item.run) item.run();
      if (item.run_timed) seconds += item.run_timed();
      return OkStatus();
    });
    in_kernel = false;
  }
  if (!status.ok() && item.failed) status = item.failed(status);
  mu_.lock();
  NoteOutcome(queue, item, status, inherited);
  queue.end = start + seconds;
  device_seconds_ = std::max(device_seconds_, queue.end);
  if (item.event) item.event->Execute(queue.end);
  queue.last = item.event;
  if (meter_) meter_->Executed(item.blocks, start, queue.end);
  if (timeline_ && !item.hidden) {
    timeline_->push_back({queue.stream->device().name_text(),
                          queue.stream->name(), item.label, start, queue.end,
                          item.order, item.issued, item.iteration, item.bytes,
                          item.line});
  }
  queue.busy = false;
  --running_;
}

void SimWorld::NoteOutcome(Queue& queue, const Item& item, const Status& status,
                           bool inherited) {
  if (status.ok()) {
    if (!failed_.empty()) failed_.Remove(item.writes);
    return;
  }
  failed_.Add(item.writes, status);
  if (item.failed) return;
  // A kernel that read what failed before tells nobody: that was told.
  bool to_host = false;
  for (const ByteRange& range : item.writes) {
    to_host = to_host || !range.memory;
  }
  if (queue.error.ok() && (!inherited || to_host)) queue.error = status;
}

bool SimWorld::RunOne() {
  if (in_kernel) return false;
  Item done;
  {
    MutexLock lock(mu_);
    Queue* queue = Pick();
    while (!queue) {
      if (running_ == 0) return false;
      executed_.wait(mu_);
      queue = Pick();
    }
    Execute(*queue);
    done = std::move(queue->items.front());
    queue->items.pop_front();
    if (!done.then.empty()) {
      host_seconds_ = std::max(host_seconds_, queue->end);
      if (checking_) checker_.HostSaw(done.event->clock());
    }
  }
  executed_.notify_all();
  for (const Callback& callback : done.then) callback.call(callback.context);
  return true;
}

void SimWorld::WaitUntilReached(const EventRef& event) {
  if (!event) return;
  SimEvent* sim = OfWorld(event, *this);
  auto reached = [&] { return sim ? sim->executed() : event->Reached(); };
  while (!reached()) {
    // Where nothing can be done, it is because of an event that others bring
    // about.
    if (!RunOne()) std::this_thread::yield();
  }
  if (!sim) return;
  Saw(*sim);
  MutexLock lock(mu_);
  host_seconds_ = std::max(host_seconds_, sim->seconds());
}

void SimWorld::Saw(SimEvent& event) {
  MutexLock lock(mu_);
  if (checking_) checker_.HostSaw(event.clock());
  event.seen_.store(true, std::memory_order_relaxed);
}

double SimWorld::host_seconds() const {
  MutexLock lock(mu_);
  return host_seconds_;
}
double SimWorld::device_seconds() const {
  MutexLock lock(mu_);
  return device_seconds_;
}
void SimWorld::AdvanceHost(double seconds) {
  MutexLock lock(mu_);
  host_seconds_ += std::max(seconds, 0.0);
}
void SimWorld::SetRandomOrder(std::optional<uint64_t> seed) {
  MutexLock lock(mu_);
  seed_ = seed;
  drawn_ = 0;
}

void SimWorld::SetChecking(bool on) {
  MutexLock lock(mu_);
  if (on && !checking_) checker_.ForgetAccesses();
  checking_ = on;
}
std::vector<Violation> SimWorld::TakeViolations() {
  MutexLock lock(mu_);
  return checker_.Take();
}
void SimWorld::HostAccess(const std::string& label, const ByteRange& range,
                          bool write) {
  MutexLock lock(mu_);
  if (checking_) checker_.HostAccess(label, range, write);
}
void SimWorld::Allocated(const ByteRange& range) {
  MutexLock lock(mu_);
  checker_.Allocated(range);
  if (meter_) meter_->Allocated(range);
}
void SimWorld::Freed(const ByteRange& range) {
  MutexLock lock(mu_);
  checker_.Freed(range);
  if (meter_) meter_->Freed(range);
}

void SimWorld::StartMeter() {
  MutexLock lock(mu_);
  meter_.emplace();
}
int64_t SimWorld::TakeMostBytes(const Memory& memory) {
  MutexLock lock(mu_);
  int64_t most = meter_ ? meter_->MostBytes(memory) : 0;
  meter_.reset();
  return most;
}

Status SimWorld::FailureOf(const ByteRange& range) const {
  MutexLock lock(mu_);
  return failed_.empty() ? OkStatus() : failed_.Of({range});
}

void SimWorld::StartTimeline() {
  MutexLock lock(mu_);
  timeline_.emplace();
}
bool SimWorld::TryStartTimeline() {
  MutexLock lock(mu_);
  if (timeline_) return false;
  timeline_.emplace();
  return true;
}
std::vector<TimelineItem> SimWorld::TakeTimeline() {
  std::vector<TimelineItem> items;
  {
    MutexLock lock(mu_);
    if (timeline_) items = std::move(*timeline_);
    timeline_.reset();
  }
  std::sort(items.begin(), items.end(),
            [](const TimelineItem& a, const TimelineItem& b) {
              return std::tie(a.start, a.order) < std::tie(b.start, b.order);
            });
  return items;
}

}  // namespace sluice
