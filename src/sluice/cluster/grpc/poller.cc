#include "sluice/cluster/grpc/poller.h"

#include <absl/synchronization/mutex.h>

#include <chrono>
#include <condition_variable>
#include <thread>
#include <utility>

#include "sluice/base/clock.h"
#include "sluice/base/event_count.h"
#include "sluice/base/started_thread.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/base/wait_on.h"

namespace sluice::cluster {

namespace {

// Longer than handling a small message; too short for users to notice.
constexpr int64_t kLongNanos = 2'000'000;
// How long the poller's threads leave the queue alone after a program thread
// has helped: most program threads call again soon.
constexpr int64_t kAloneNanos = 20'000'000;
// After this many checks without an event, the watching thread sleeps until
// there is one.
constexpr int kIdleLooks = 20;
// A helper wakes up this often, in case another thread received its answer.
constexpr auto kHelperMs = std::chrono::milliseconds(10);
constexpr int kMostThreads = 8;

}  // namespace

struct Poller::State : std::enable_shared_from_this<State> {
  // For the current thread: the poller that owns it, if any, and the poller
  // whose event it runs.
  static thread_local State *own, *running;

  explicit State(std::unique_ptr<grpc::CompletionQueue> q)
      : queue(std::move(q)) {}

  // Who serves the queue. A term is one thread's time there; it ends when the
  // thread leaves, or when it was busy for so long that another took over.
  enum Mode : uint64_t { kFree = 0, kWaits = 1, kBusy = 2 };
  static uint64_t Word(uint64_t term, Mode mode) { return term << 2 | mode; }
  static Mode ModeOf(uint64_t word) { return static_cast<Mode>(word & 3); }
  static uint64_t TermOf(uint64_t word) { return word >> 2; }

  // Starts a new term from a word that was read; 0: another thread was faster.
  uint64_t Take(uint64_t seen) {
    const uint64_t term = TermOf(seen) + 1;
    if (!word.compare_exchange_strong(seen, Word(term, kWaits))) return 0;
    hurry.store(false, std::memory_order_relaxed);
    return term;
  }

  enum class Ran { kNothing, kOne, kLost, kOver };
  // Runs one event in the given term. Lost: another thread serves the queue
  // now.
  Ran RunOne(uint64_t term, std::chrono::milliseconds most) {
    void* tag = nullptr;
    bool ok = false;
    if (most.count() == 0) {
      if (!queue->Next(&tag, &ok)) return Ran::kOver;
    } else {
      switch (queue->AsyncNext(&tag, &ok,
                               std::chrono::system_clock::now() + most)) {
        case grpc::CompletionQueue::SHUTDOWN:
          return Ran::kOver;
        case grpc::CompletionQueue::TIMEOUT:
          return Ran::kNothing;
        case grpc::CompletionQueue::GOT_EVENT:
          break;
      }
    }
    busy_since.store(NowNanos(), std::memory_order_relaxed);
    word.store(Word(term, kBusy));
    events.fetch_add(1);
    if (asleep.load()) WakeWatcher();
    State* const outer = std::exchange(running, this);
    static_cast<Completion*>(tag)->Done(ok);
    running = outer;
    uint64_t mine = Word(term, kBusy);
    bool kept = word.compare_exchange_strong(mine, Word(term, kWaits));
    changed.Notify();
    return kept ? Ran::kOne : Ran::kLost;
  }

  void Leave(uint64_t term) {
    left_at.store(NowNanos(), std::memory_order_relaxed);
    word.store(Word(term + 1, kFree));
    changed.Notify(1);
    // Nobody serves the queue: wake a thread.
    if (asleep.load()) WakeWatcher();
  }

  void WakeWatcher() {
    {
      MutexLock lock(mu);
      asleep.store(false);
    }
    wake.notify_all();
  }

  // ---- Own threads ----

  void Start() {
    MutexLock lock(mu);
    StartOneLocked();
    try {
      StartOneLocked();
    } catch (...) {
      // Another thread does, while the events it runs are short.
    }
  }
  void StartOneLocked() SL_REQUIRES(mu) {
    StartedThread([self = shared_from_this()] {
      own = self.get();
      self->Main();
      {
        MutexLock lock(self->mu);
        --self->threads;
      }
      self->wake.notify_all();
    }).detach();
    ++threads;
    ++resting;
  }

  void Main() {
    while (uint64_t term = Watch()) {
      Ran ran = Ran::kOne;
      while (ran == Ran::kOne) {
        ran = RunOne(term, {});
        if (ran == Ran::kOne && helpers.load() != 0) {
          Leave(term);
          break;
        }
      }
      MutexLock lock(mu);
      ++resting;
      if (ran == Ran::kOver) over.store(true);
    }
  }

  // Rests until nobody watches, then watches until it is needed at the queue,
  // and returns its term. 0: the poller has ended.
  uint64_t Watch() {
    uint64_t term = 0;
    {
      MutexLock lock(mu);
      while (!over.load() && watched) WaitOn(wake, mu);
      --resting;
      watched = true;
      term = WatchUntilNeeded();
      watched = false;
      // Another thread watches while this one serves the queue.
      if (term != 0 && resting == 0 && threads < kMostThreads) {
        try {
          StartOneLocked();
        } catch (...) {
          // Then nobody watches until a thread comes back.
        }
      }
    }
    wake.notify_all();
    return term;
  }

  // Returns its term at the queue; 0: the poller has ended.
  uint64_t WatchUntilNeeded() SL_REQUIRES(mu) {
    int idle = 0;
    uint64_t before = events.load();
    while (!over.load()) {
      const uint64_t seen = word.load();
      if (Needed(seen)) {
        if (uint64_t term = Take(seen); term != 0) return term;
      }
      const uint64_t now = events.load();
      idle = now == before && ModeOf(seen) == kWaits ? idle + 1 : 0;
      before = now;
      if (idle < kIdleLooks) {
        WaitOnFor(wake, mu, std::chrono::nanoseconds(kLongNanos));
        continue;
      }
      idle = 0;
      asleep.store(true);
      // Threads that change these check `asleep` afterwards.
      if (events.load() == before && ModeOf(word.load()) == kWaits) {
        while (!over.load() && asleep.load()) WaitOn(wake, mu);
      }
      asleep.store(false);
    }
    return 0;
  }

  bool Needed(uint64_t seen) const {
    const int64_t now = NowNanos();
    switch (ModeOf(seen)) {
      case kFree: {
        const int64_t alone = helpers.load() != 0 ? kLongNanos : kAloneNanos;
        return hurry.load(std::memory_order_relaxed) ||
               now - left_at.load(std::memory_order_relaxed) > alone;
      }
      case kBusy:
        return now - busy_since.load(std::memory_order_relaxed) > kLongNanos;
      default:
        return false;
    }
  }

  // ---- Program threads ----

  void HelpUntil(const std::function<bool()>& done) {
    helpers.fetch_add(1);
    while (!done()) {
      const uint64_t seen = word.load();
      const uint64_t term = ModeOf(seen) == kFree ? Take(seen) : 0;
      if (term != 0) {
        Ran ran = Ran::kOne;
        while (ran != Ran::kLost && !done()) ran = RunOne(term, kHelperMs);
        if (ran != Ran::kLost) Leave(term);
        continue;
      }
      uint32_t ticket = changed.Prepare();
      if (done() || ModeOf(word.load()) == kFree) {
        changed.Cancel();
      } else {
        changed.Wait(ticket);
      }
    }
    // Another helper may have to serve the queue now.
    if (helpers.fetch_sub(1) > 1) changed.Notify(1);
  }

  void WaitForThreads() {
    MutexLock lock(mu);
    while (threads != 0) WaitOn(wake, mu);
  }

  const std::unique_ptr<grpc::CompletionQueue> queue;
  std::atomic<uint64_t> word{Word(1, kFree)};
  std::atomic<int64_t> busy_since{0}, left_at{0};
  std::atomic<uint64_t> events{0};
  std::atomic<bool> hurry{false}, asleep{false}, over{false};
  // Program threads that wait for an event.
  std::atomic<int> helpers{0};
  EventCount changed;  // wakes them

  Mutex mu;
  std::condition_variable wake;
  bool watched SL_GUARDED_BY(mu) = false;
  int threads SL_GUARDED_BY(mu) = 0, resting SL_GUARDED_BY(mu) = 0;
};

thread_local Poller::State* Poller::State::own = nullptr;
thread_local Poller::State* Poller::State::running = nullptr;

Poller::Poller(std::unique_ptr<grpc::CompletionQueue> queue)
    : state_(std::make_shared<State>(std::move(queue))) {
  // Distributions build it with deadlock detection, which looks up every lock
  // that gRPC takes in a graph of all locks: a tenth of the time of a small
  // step.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  state_->Start();
}

Poller::~Poller() {
  // No operation is pending: each of them holds this object.
  state_->queue->Shutdown();
  Hurry();
  // One of its own threads may have held the last reference.
  if (State::own != state_.get()) state_->WaitForThreads();
}

namespace {
struct HomePlace {
  Mutex mu;
  std::weak_ptr<Poller> poller SL_GUARDED_BY(mu);
};
HomePlace& ThePlace() {
  static auto* place = new HomePlace;  // threads may outlive main
  return *place;
}
}  // namespace

std::shared_ptr<Poller> Poller::Home() {
  HomePlace& place = ThePlace();
  MutexLock lock(place.mu);
  std::shared_ptr<Poller> home = place.poller.lock();
  if (!home) {
    home = std::make_shared<Poller>(std::make_unique<grpc::CompletionQueue>());
    place.poller = home;
  }
  return home;
}

void Poller::OfferHome(const std::shared_ptr<Poller>& poller) {
  HomePlace& place = ThePlace();
  MutexLock lock(place.mu);
  if (place.poller.expired()) place.poller = poller;
}

grpc::CompletionQueue* Poller::queue() { return state_->queue.get(); }

void Poller::Hurry() {
  if (State::ModeOf(state_->word.load()) == State::kFree) {
    state_->hurry.store(true);
  }
}

void Poller::TakesLong() {
  State* state = State::running;
  if (!state) return;
  state->busy_since.store(0, std::memory_order_relaxed);
  state->WakeWatcher();
}

void Poller::HelpUntil(const std::function<bool()>& done) {
  state_->HelpUntil(done);
}

}  // namespace sluice::cluster
