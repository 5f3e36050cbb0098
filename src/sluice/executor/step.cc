#include "sluice/executor/step.h"

#include <cstring>

#include "sluice/base/clock.h"
#include "sluice/base/strings.h"
#include "sluice/executor/async_op.h"
#include "sluice/executor/flow_rules.h"
#include "sluice/executor/launch.h"
#include "sluice/executor/node_error.h"
#include "sluice/executor/step_local.h"

namespace sluice {

namespace {
constexpr uint32_t kDeadBit = 1u << 31;
constexpr int kInlineOutputs = 8;
constexpr int64_t kSpinNanos = 20'000;
}  // namespace

Step::Step(const Plan& plan) : plan_(plan), driver_(std::make_unique<Local>()) {
  InitBlock(root_, plan.frames()[0]);
  results_.resize(static_cast<size_t>(plan.num_results()));
  free_frames_.resize(plan.frames().size());
  free_blocks_.resize(plan.frames().size());
}

Step::~Step() = default;

void Step::Begin(const StepRequest& request) {
  // A fresh one each run: callers may keep the last run's to cancel it late.
  if (!cancellation_ || cancellation_.use_count() > 1 ||
      cancellation_->cancelled()) {
    cancellation_ = std::make_shared<Cancellation>();
  }
  context_.step_id = request.step_id;
  context_.seed = request.seed;
  context_.resources = request.resources;
  context_.pool = request.pool;
  context_.cancellation = cancellation_.get();
  bool several = request.pool && request.pool->parallelism() > 1;
  pool_ = several && plan_.worth_sharing() ? request.pool : nullptr;
  stats_ = request.stats;
  shared_ = false;
  driver_->worker = 0;
  {
    MutexLock lock(mu_);
    error_ = OkStatus();
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
  if (stats_) stats_->start = CycleCount();
}

void Step::Feed(int arg, Array value) {
  int32_t activated = 0;
  auto edges = plan_.edges_of(plan_.frames()[0].args[static_cast<size_t>(arg)]);
  if (shared_) {
    Deliver<true>(*driver_, root_, edges, &value, false, &activated);
  } else {
    Deliver<false>(*driver_, root_, edges, &value, false, &activated);
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
  for (;;) {
    FireAll(*driver_);
    if (DrainInbox(*driver_)) continue;
    if (outstanding_.load(std::memory_order_acquire) == 0) break;
    // Something is pending elsewhere. Help the pool, look around a little, and
    // sleep until a completion or another thread's last token wakes us.
    if (pool_ && pool_->RunOne()) continue;
    int64_t until = NowNanos() + kSpinNanos;
    auto changed = [&] {
      return inbox_.load(std::memory_order_seq_cst) != nullptr ||
             outstanding_.load(std::memory_order_seq_cst) == 0;
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
    if (changed()) {
      event_.Cancel();
    } else {
      event_.Wait(seen);
    }
  }
  // Whoever finished the last token may still be on its way out.
  while (visitors_.load(std::memory_order_acquire) != 0) SpinPause();
}

Status Step::Finish() {
  if (stats_) {
    stats_->end = CycleCount();
    MutexLock lock(mu_);
    stats_->firings.insert(stats_->firings.end(), driver_->firings.begin(),
                           driver_->firings.end());
    driver_->firings.clear();
  }
  Status status = error();
  if (status.ok()) status = cancellation_->status();
  ClearLeftovers();
  return status;
}

// Values that nobody consumed: inputs of nodes that never fired, loops that
// wait for what never came.
void Step::ClearLeftovers() {
  ClearFrames();
  ClearSlots(root_, false);
}

Status Step::error() const {
  MutexLock lock(mu_);
  return error_;
}

void Step::Fail(const Status& status) {
  {
    MutexLock lock(mu_);
    // What follows from a cancellation never hides its cause.
    if (error_.ok() && !cancellation_->cancelled()) error_ = status;
  }
  cancellation_->Cancel(status);
}

void Step::Push(Local& local, Token token, bool later) {
  ++local.pushed;
  if (plan_.nodes()[token.node].heavy) {
    local.heavy.push_back(token);
  } else if (later) {
    local.PushLater(token.block->info->depth, token);
  } else {
    local.light.push_back(token);
  }
}

void Step::FireAll(Local& local) {
  local.last_end = 0;
  while (!local.empty()) {
    if (shared_) {
      stats_ ? Fire<true, true>(local) : Fire<true, false>(local);
    } else {
      stats_ ? Fire<false, true>(local) : Fire<false, false>(local);
    }
  }
}

// The inner loop. Returns when the stack is empty, or when the step has just
// become shared and the atomic instantiation must take over.
template <bool kShared, bool kStats>
void Step::Fire(Local& local) {
  Array outputs_inline[kInlineOutputs];
  std::vector<Array> outputs_heap;
  const PlanNode* nodes = plan_.nodes().data();
  const PlanEdge* edges = plan_.edges().data();
  Token token;
  while (local.Pop(&token)) {
    const PlanNode& node = nodes[token.node];
    Array* outputs = outputs_inline;
    if (node.num_outputs > kInlineOutputs) [[unlikely]] {
      outputs_heap.resize(node.num_outputs);
      outputs = outputs_heap.data();
    }
    bool dead = token.dead;
    uint64_t start = 0;
    bool sampled = (++local.fired & 15) == 0;
    // One reading per firing: where the last one ended, this one starts.
    if (kStats && local.last_end) {
      start = local.last_end;
    } else if (kStats || sampled) {
      start = CycleCount();
    }
    if (!dead && !cancellation_->cancelled()) [[likely]] {
      if (Execute(local, token, outputs) == Outcome::kPending) {
        // A call has made tokens, and is none itself until it returns.
        if (local.pushed) AddOutstanding(std::exchange(local.pushed, 0));
        continue;
      }
    } else {
      dead = true;
    }
    if (kStats || sampled) {
      uint64_t end = CycleCount();
      if (kStats) local.last_end = end;
      if (kStats && !dead) {
        int64_t bytes = 0;
        for (int i = 0; i < node.num_outputs; ++i) {
          if (outputs[i] && !IsReference(outputs[i].dtype())) {
            bytes += outputs[i].bytes();
          }
        }
        local.firings.push_back({token.node, local.worker, start, end, bytes});
      }
      if (sampled) {
        plan_.ObserveCost(token.node,
                          static_cast<float>(static_cast<double>(end - start) *
                                             NanosPerCycle()));
      }
    }
    // The inputs are read: let go of them before the outputs move on, so that
    // a value's last reader sees it as its own.
    IterBlock& block = *token.block;
    Array* slots = block.slots + node.first_slot;
    if (!node.sticky) [[likely]] {
      for (uint32_t i = 0; i < node.num_inputs; ++i) slots[i] = Array();
    } else {
      const uint8_t* sticky = block.sticky + node.first_slot;
      for (uint32_t i = 0; i < node.num_inputs; ++i) {
        if (!sticky[i]) slots[i] = Array();
      }
    }
    int32_t activated = 0;
    Deliver<kShared>(local, block, {edges + node.first_edge, node.num_edges},
                     outputs, dead, &activated);
    for (int i = 0; i < node.num_outputs; ++i) {
      if (outputs[i]) outputs[i] = Array();
    }
    if (block.frame && activated != 1) {
      AddWork<kShared>(local, block, activated - 1);
    }
    int64_t change = std::exchange(local.pushed, 0) - 1;
    if (change != 0) {
      if (kShared) {
        int64_t left =
            outstanding_.fetch_add(change, std::memory_order_acq_rel) + change;
        if (left == 0) event_.Notify();
      } else {
        outstanding_.store(
            outstanding_.load(std::memory_order_relaxed) + change,
            std::memory_order_relaxed);
      }
    }
    // Looking costs something too: at heavy tokens always, at a long stack of
    // light ones every sixty-fourth time.
    if (pool_ && (!local.heavy.empty() ||
                  ((local.fired & 63) == 0 && local.light.size() > 64))) {
      MaybeExport(local);
      if (!kShared && shared_) return;
    }
  }
}

template <bool kShared>
bool Step::Arrive(IterBlock& block, uint32_t node, bool dead, bool* is_dead) {
  std::atomic<uint32_t>& pending = block.pending[node - block.first_node];
  if (!kShared) {
    uint32_t p = pending.load(std::memory_order_relaxed) - 1;
    if (dead) p |= kDeadBit;
    pending.store(p, std::memory_order_relaxed);
    *is_dead = (p & kDeadBit) != 0;
    return (p & ~kDeadBit) == 0;
  }
  if (dead) pending.fetch_or(kDeadBit, std::memory_order_relaxed);
  // Seeing 1 means every other input has arrived: ours is the last, and nobody
  // else will touch the count.
  uint32_t p = pending.load(std::memory_order_acquire);
  if ((p & ~kDeadBit) != 1) {
    p = pending.fetch_sub(1, std::memory_order_acq_rel);
  }
  *is_dead = (p & kDeadBit) != 0;
  return (p & ~kDeadBit) == 1;
}

template <bool kShared>
int32_t Step::Bring(Local& local, IterBlock& block, const PlanEdge& e,
                    Array value, bool dead, bool later) {
  switch (e.route) {
    case Route::kSlot:
      if (!dead) block.slots[e.slot] = std::move(value);
      break;
    case Route::kControl:
      break;
    case Route::kOrder:
      dead = false;
      break;
    case Route::kMerge:
    case Route::kMergeControl:
      return BringToMerge<kShared>(local, block, e, std::move(value), dead,
                                   later);
    case Route::kFetch:
      if (!dead) results_[e.node] = std::move(value);
      return 0;
    case Route::kReturn:
      if (!dead) block.frame->results[e.node] = std::move(value);
      return 0;
  }
  bool is_dead;
  if (!Arrive<kShared>(block, e.node, dead, &is_dead)) return 0;
  Push(local, {&block, e.node, is_dead}, later);
  return 1;
}

template <bool kShared>
void Step::Deliver(Local& local, IterBlock& block,
                   std::span<const PlanEdge> edges, Array* outputs, bool dead,
                   int32_t* activated) {
  for (const PlanEdge& e : edges) {
    bool dead_value = dead;
    Array value;
    if (e.output == kNoOutput) {
      // Waits for the node, not for a value.
    } else if (e.route == Route::kControl || e.route == Route::kOrder ||
               e.route == Route::kMergeControl) {
      dead_value = dead || !outputs[e.output];
    } else if (!dead) {
      value = e.last ? std::move(outputs[e.output]) : outputs[e.output];
      dead_value = !value;
    }
    if (e.way == Way::kHere) [[likely]] {
      *activated +=
          Bring<kShared>(local, block, e, std::move(value), dead_value, false);
    } else {
      Across<kShared>(local, block, e, std::move(value), dead_value);
    }
  }
}

template void Step::Deliver<true>(Local&, IterBlock&, std::span<const PlanEdge>,
                                  Array*, bool, int32_t*);
template void Step::Deliver<false>(Local&, IterBlock&,
                                   std::span<const PlanEdge>, Array*, bool,
                                   int32_t*);
template int32_t Step::Bring<true>(Local&, IterBlock&, const PlanEdge&, Array,
                                   bool, bool);
template int32_t Step::Bring<false>(Local&, IterBlock&, const PlanEdge&, Array,
                                    bool, bool);

Step::Outcome Step::Execute(Local& local, const Token& token, Array* outputs) {
  const PlanNode& node = plan_.nodes()[token.node];
  IterBlock& block = *token.block;
  Array* inputs = block.slots + node.first_slot;
  auto take = [&](uint32_t i) {
    return block.sticky[node.first_slot + i] ? inputs[i] : std::move(inputs[i]);
  };
  switch (node.kind) {
    case NodeKind::kSwitch: {
      Result<bool> pred = PredicateValue(inputs[1]);
      if (pred.ok()) [[likely]] {
        outputs[*pred ? 1 : 0] = take(0);
      } else {
        const PlanNodeInfo& info = plan_.info(token.node);
        Fail(Located(BadPredicate(info, inputs[1]), block, info.calls));
      }
      return Outcome::kDone;
    }
    case NodeKind::kMerge:
      outputs[0] = std::move(inputs[0]);
      if (node.wants_index) outputs[1] = std::move(inputs[1]);
      return Outcome::kDone;
    case NodeKind::kPass:
      if (node.num_inputs) outputs[0] = take(0);
      return Outcome::kDone;
    case NodeKind::kAsync:
      LaunchAsync(token);
      return Outcome::kPending;
    case NodeKind::kCall:
      if (shared_) {
        StartCall<true>(local, token);
      } else {
        StartCall<false>(local, token);
      }
      return Outcome::kPending;
    default:
      break;
  }
  const PlanNodeInfo& info = plan_.info(token.node);
  Status status;
  if (node.uses_tag && (block.frame || !info.calls.empty())) {
    StepContext context = context_;
    context.tag = TagOf(block, info.calls);
    status = Compute(node, info, context, inputs, outputs);
  } else {
    status = Compute(node, info, context_, inputs, outputs);
  }
  if (!status.ok()) [[unlikely]] {
    if (node.node)
      status = AtNode(status, *info.origin, {inputs, node.num_inputs});
    Fail(Located(std::move(status), block, info.calls));
  }
  return Outcome::kDone;
}

Status Step::Compute(const PlanNode& node, const PlanNodeInfo& info,
                     const StepContext& context, Array* inputs,
                     Array* outputs) {
  std::span<Array> in(inputs, node.num_inputs), out(outputs, node.num_outputs);
  switch (node.kind) {
    case NodeKind::kIsland:
      return info.tape->Run(context, in, out);
    case NodeKind::kNative:
      return info.native->Run(context, in, out);
    case NodeKind::kElementwise:
      return LaunchElementwise(info, context, in, &outputs[0]);
    default:
      return LaunchKernel(node, info, context, in, out);
  }
}

void Step::MaybeExport(Local& local) {
  if (!pool_->has_idle()) return;
  // Keep one token for ourselves; heavy ones go first, oldest first.
  std::vector<Token> tokens;
  if (local.heavy.size() + (local.light.empty() ? 0 : 1) > 1) {
    tokens.push_back(local.heavy.front());
    local.heavy.erase(local.heavy.begin());
  } else if (local.light.size() > 64) {
    // The newest tokens stand for all: adding up a long stack would cost more
    // than it could tell.
    constexpr size_t kLook = 8;
    float cost = 0;
    for (size_t i = local.light.size() - kLook; i < local.light.size(); ++i) {
      cost += plan_.cost_ns(local.light[i].node) / kLook;
    }
    if (cost < kShareNanos ||
        cost * static_cast<float>(local.light.size()) < kBatchNanos) {
      return;
    }
    auto half =
        local.light.begin() + static_cast<ptrdiff_t>(local.light.size() / 2);
    tokens.assign(local.light.begin(), half);
    local.light.erase(local.light.begin(), half);
  } else {
    return;
  }
  // Written once, by the driver, before any other thread knows the step; the
  // submission below publishes it.
  if (!shared_) shared_ = true;
  visitors_.fetch_add(1, std::memory_order_relaxed);
  auto* batch = new Batch;
  batch->step = this;
  batch->tokens = std::move(tokens);
  batch->run = [](Task* task) {
    std::unique_ptr<Batch> own(static_cast<Batch*>(task));
    Step& step = *own->step;
    Local here;
    here.worker = static_cast<uint32_t>(WorkerPool::CurrentWorker());
    here.heavy_last = true;
    for (const Token& t : own->tokens) step.Push(here, t, false);
    here.pushed = 0;  // they were counted where they were made
    step.FireAll(here);
    if (step.stats_) {
      MutexLock lock(step.mu_);
      step.stats_->firings.insert(step.stats_->firings.end(),
                                  here.firings.begin(), here.firings.end());
    }
    // The last touch: the step may be gone right after.
    step.visitors_.fetch_sub(1, std::memory_order_release);
  };
  pool_->Submit(batch);
}

void Step::LaunchAsync(const Token& token) {
  const PlanNode& node = plan_.nodes()[token.node];
  const PlanNodeInfo& info = plan_.info(token.node);
  std::span<Array> inputs(token.block->slots + node.first_slot,
                          node.num_inputs);
  StepContext context = context_;
  context.tag = TagOf(*token.block, info.calls);
  auto* op =
      AsyncOp::Make(this, token, info, context, inputs, node.num_outputs);
  for (uint32_t i = 0; i < node.num_inputs; ++i) {
    if (!token.block->sticky[node.first_slot + i]) inputs[i] = Array();
  }
  visitors_.fetch_add(1, std::memory_order_relaxed);
  if (!op->status.ok()) {
    op->Done(op->status);
    return;
  }
  info.node->op().kernel(DeviceKind::kCpu).launch_async(*op);
}

void Step::Post(AsyncOp* op) {
  AsyncOp* head = inbox_.load(std::memory_order_relaxed);
  do {
    op->next = head;
  } while (!inbox_.compare_exchange_weak(head, op, std::memory_order_seq_cst));
  event_.Notify();
  visitors_.fetch_sub(1, std::memory_order_release);
}

bool Step::DrainInbox(Local& local) {
  if (!inbox_.load(std::memory_order_relaxed)) return false;
  AsyncOp* op = inbox_.exchange(nullptr, std::memory_order_acq_rel);
  // Posted last is first in the list: turn it, so that completions are taken in
  // the order they came.
  AsyncOp* first = nullptr;
  while (op) {
    AsyncOp* next = op->next;
    op->next = first;
    first = op;
    op = next;
  }
  bool any = first != nullptr;
  while (first) {
    std::unique_ptr<AsyncOp> own(first);
    first = own->next;
    const PlanNode& node = plan_.nodes()[own->token.node];
    const PlanNodeInfo& info = plan_.info(own->token.node);
    bool dead = !own->status.ok();
    IterBlock& block = *own->token.block;
    if (dead) {
      Fail(Located(AtNode(own->status, *info.origin, own->inputs), block,
                   info.calls));
    }
    if (stats_) {
      local.firings.push_back(
          {own->token.node, local.worker, own->started, CycleCount(), 0});
    }
    own->inputs.clear();
    int32_t activated = 0;
    std::span<const PlanEdge> edges{plan_.edges().data() + node.first_edge,
                                    node.num_edges};
    if (shared_) {
      Deliver<true>(local, block, edges, own->outputs.data(), dead, &activated);
      if (block.frame) AddWork<true>(local, block, activated - 1);
    } else {
      Deliver<false>(local, block, edges, own->outputs.data(), dead,
                     &activated);
      if (block.frame) AddWork<false>(local, block, activated - 1);
    }
    AddOutstanding(std::exchange(local.pushed, 0) - 1);
  }
  return any;
}

}  // namespace sluice
