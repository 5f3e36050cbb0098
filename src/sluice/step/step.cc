#include "sluice/step/step.h"

#include <cstring>

#include "sluice/base/caught.h"
#include "sluice/base/clock.h"
#include "sluice/base/loop_helpers.h"
#include "sluice/base/strings.h"
#include "sluice/graph/flow_rules.h"
#include "sluice/launch/launch.h"
#include "sluice/launch/node_error.h"
#include "sluice/step/async_op.h"
#include "sluice/step/step_local.h"

namespace sluice {

namespace {
// As long as the pool's own threads spin before they sleep.
constexpr int64_t kSpinNanos = 60'000;
// Firings after which another step gets its turn: much longer than the switch
// takes, and too short for a person to notice.
constexpr uint32_t kTurn = 4096;
}  // namespace

Step::Step(const Plan& plan) : plan_(plan), driver_(std::make_unique<Local>()) {
  InitBlock(root_, plan.frames()[0]);
  results_.resize(static_cast<size_t>(plan.num_results()));
  free_frames_.resize(plan.frames().size());
  free_blocks_.resize(plan.frames().size());
  device_contexts_.resize(plan.devices().size() - 1);
}

Step::~Step() = default;

void Step::Begin(const StepRequest& request) {
  // A new one for each run: callers may still hold that of the previous run and
  // cancel it late.
  if (!cancellation_ || cancellation_.use_count() > 1 ||
      cancellation_->cancelled()) {
    cancellation_ = std::make_shared<Cancellation>();
  }
  context_.step_id = request.step_id;
  context_.seed = request.seed;
  context_.resources = request.resources;
  context_.pool = request.pool;
  context_.cancellation = cancellation_.get();
  context_.rendezvous = request.rendezvous;
  wake_ = request.wake;
  for (size_t d = 1; d < plan_.devices().size(); ++d) {
    device_contexts_[d - 1] = context_;
    if (plan_.devices()[d]->kind() == DeviceKind::kCuda && !late_target_) {
      late_target_ = std::make_shared<LateTarget>();
      MutexLock lock(late_target_->mu);
      late_target_->step = this;
    }
    device_contexts_[d - 1].memory = plan_.devices()[d]->array_memory();
  }
  bool several = request.pool && request.pool->parallelism() > 1;
  pool_ = several && plan_.worth_sharing() ? request.pool : nullptr;
  stats_ = request.stats;
  shared_ = false;
  driver_->worker = 0;
  if (failed_.load(std::memory_order_relaxed)) {
    MutexLock lock(mu_);
    error_ = OkStatus();
    failed_.store(false, std::memory_order_relaxed);
  }
  const FrameInfo& info = plan_.frames()[0];
  static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));
  // Nobody else sees the counts yet, so they may be set as plain memory.
  if (!info.pending.empty()) {
    std::memcpy(static_cast<void*>(root_.pending), info.pending.data(),
                info.pending.size() * sizeof(uint32_t));
  }
  for (const FrameInfo::Preset& p : info.presets) {
    if (!root_.slots[p.slot]) root_.slots[p.slot] = p.value;
  }
  for (const FrameInfo::PresetResult& p : info.preset_results) {
    results_[static_cast<size_t>(p.result)] = p.value;
  }
  driver_->heavy_last = pool_ != nullptr;
  for (uint32_t node : info.sources)
    Push(*driver_, {&root_, node, false}, false);
  outstanding_.store(std::exchange(driver_->pushed, 0),
                     std::memory_order_relaxed);
  frames_left_ = 0;
  fired_at_retry_ = driver_->fired;
  must_copy_ = false;
  dead_results_.assign(results_.size(), 0);
  missing_.clear();
  last_decisions_.clear();
  deadline_noted_ = false;
  doing_.clear();
  if (stats_) {
    StartTimelines(plan_.devices());
    stats_->start = CycleCount();
  }
}

void Step::Feed(int arg, Array value) {
  int32_t activated = 0;
  if (plan_.copies_arg(arg) && value && !value.unique()) {
    Result<Array> copy = value.Clone();
    if (copy.ok()) {
      value = *std::move(copy);
    } else {
      Fail(copy.status());
    }
  }
  auto edges = plan_.edges_of(plan_.frames()[0].args[static_cast<size_t>(arg)]);
  try {
    if (shared_) {
      Deliver<true>(*driver_, root_, edges, &value, false, &activated);
    } else {
      Deliver<false>(*driver_, root_, edges, &value, false, &activated);
    }
  } catch (...) {
    Break(CaughtStatus());
  }
  if (driver_->pushed) AddOutstanding(std::exchange(driver_->pushed, 0));
}

void Step::AddOutstanding(int64_t delta) {
  if (shared_) {
    outstanding_.fetch_add(delta, std::memory_order_acq_rel);
  } else {
    outstanding_.store(outstanding_.load(std::memory_order_relaxed) + delta,
                       std::memory_order_relaxed);
  }
}

void Step::RunUntilQuiet() {
  // Exceptions between kernels all end here: the step fails, the process
  // continues.
  try {
    RunTokens();
  } catch (...) {
    Break(CaughtStatus());
  }
  LeaveAlone();
}

Step::Ran Step::RunReady() {
  uint32_t fired = driver_->fired;
  driver_->limited = true;
  driver_->last_turn = fired + kTurn;
  bool more = false;
  try {
    for (;;) {
      FireAll(*driver_);
      if (driver_->used_up()) break;
      if (!DrainInbox(*driver_) && !DriveDevices()) break;
      more = true;
    }
  } catch (...) {
    Break(CaughtStatus());
  }
  driver_->limited = false;
  if (outstanding_.load(std::memory_order_acquire) == 0 || broken()) {
    LeaveAlone();
    return Ran::kAll;
  }
  if (!driver_->empty()) return Ran::kTurn;
  return more || fired != driver_->fired ? Ran::kSome : Ran::kNothing;
}

// Waits until nobody else accesses this step.
void Step::LeaveAlone() {
  if (!device_contexts_.empty()) WaitForDevices();
  if (broken()) [[unlikely]]
    Abandon();
  // The thread that finished the last token may still be leaving.
  while (visitors_.load(std::memory_order_acquire) != 0) SpinPause();
}

// From any thread.
void Step::Break(const Status& status) {
  Fail(status);
  broken_.store(true, std::memory_order_seq_cst);
  WakeDriver();
}

void Step::WakeDriver() {
  event_.Notify();
  if (wake_.call) wake_.call(wake_.context);
}

// Waits until nobody else works on this step: batches on other threads end
// because it is cancelled, and so do asynchronous kernels.
void Step::Abandon() {
  while (visitors_.load(std::memory_order_acquire) != 0) {
    if (!pool_ || !pool_->RunOne()) SpinPause();
  }
  AsyncOp* op = inbox_.exchange(nullptr, std::memory_order_acq_rel);
  while (op) {
    std::unique_ptr<AsyncOp> own(op);
    op = own->next;
  }
  MutexLock lock(mu_);
  in_flight_ = nullptr;
}

void Step::RunTokens() {
  for (;;) {
    FireAll(*driver_);
    if (DrainInbox(*driver_)) continue;
    if (outstanding_.load(std::memory_order_acquire) == 0) break;
    if (broken()) break;
    if (DriveDevices()) continue;
    // Something is pending elsewhere. Help the pool, spin for a while, and
    // sleep until a completion or another thread's last token wakes us.
    if (pool_ && pool_->RunOne()) continue;
    int64_t until = NowNanos() + kSpinNanos;
    auto changed = [&] {
      return device_copies_.load(std::memory_order_seq_cst) != 0 ||
             inbox_.load(std::memory_order_seq_cst) != nullptr ||
             outstanding_.load(std::memory_order_seq_cst) == 0 ||
             broken_.load(std::memory_order_seq_cst);
    };
    bool found = false;
    while (!(found = changed()) && NowNanos() < until) {
      for (int i = 0; i < 32; ++i) SpinPause();
      if (pool_ && pool_->RunOne()) {
        found = true;
        break;
      }
    }
    if (found) continue;
    uint32_t seen = event_.Prepare();
    LoopHelper helper(pool_, event_);
    if (changed() || (pool_ && pool_->RunOne())) {
      event_.Cancel();
    } else {
      event_.Wait(seen);
    }
  }
}

Status Step::Finish() {
  if (stats_) {
    stats_->end = CycleCount();
    stats_->device_work = TakeTimelines(plan_.devices());
    MutexLock lock(mu_);
    stats_->firings.insert(stats_->firings.end(), driver_->firings.begin(),
                           driver_->firings.end());
    driver_->firings.clear();
  }
  Status status = error();
  if (status.ok()) status = cancellation_->status();
  if (status.ok()) NoteMissing();
  if (!doing_.empty()) status = status.WithLine(doing_);
  if (!broken()) ClearLeftovers();
  return status;
}

// Values that nobody consumed: inputs of nodes that never fired, loops that
// wait for missing values.
void Step::ClearLeftovers() {
  ClearFrames();
  ClearSlots(root_, false);
}

Status Step::error() const {
  if (!failed_.load(std::memory_order_acquire)) return OkStatus();
  MutexLock lock(mu_);
  return error_;
}

void Step::Fail(const Status& status) {
  {
    MutexLock lock(mu_);
    // Consequences of a cancellation never hide its cause.
    if (error_.ok() && !cancellation_->cancelled()) {
      error_ = status;
      failed_.store(true, std::memory_order_release);
    }
  }
  cancellation_->Cancel(status);
}

}  // namespace sluice
