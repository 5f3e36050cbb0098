#include "sluice/executor/step.h"

#include <cstring>

#include "sluice/base/clock.h"
#include "sluice/base/strings.h"
#include "sluice/executor/async_op.h"
#include "sluice/executor/launch.h"
#include "sluice/executor/node_error.h"
#include "sluice/executor/step_local.h"

namespace sluice {

namespace {
constexpr uint32_t kDeadBit = 1u << 31;
constexpr int kInlineOutputs = 8;
constexpr int64_t kSpinNanos = 20'000;
}  // namespace

Step::Step(const Plan& plan)
    : plan_(plan),
      pending_(new std::atomic<uint32_t>[plan.nodes().size()]),
      slots_(new Array[plan.num_slots()]),
      driver_(std::make_unique<Local>()) {
  root_.pending = pending_.get();
  root_.slots = slots_.get();
  results_.resize(static_cast<size_t>(plan.num_results()));
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
  auto initial = plan_.initial_pending();
  static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));
  // Nobody else sees the counts yet, so they may be set as plain memory.
  if (!initial.empty()) {
    std::memcpy(static_cast<void*>(pending_.get()), initial.data(),
                initial.size_bytes());
  }
  for (const Plan::Preset& p : plan_.presets()) {
    if (!slots_[p.slot]) slots_[p.slot] = p.value;
  }
  for (const Plan::PresetResult& p : plan_.preset_results()) {
    results_[static_cast<size_t>(p.result)] = p.value;
  }
  outstanding_.store(static_cast<int64_t>(plan_.sources().size()),
                     std::memory_order_relaxed);
  for (uint32_t node : plan_.sources()) Push(*driver_, {&root_, node, false});
  if (stats_) stats_->start = CycleCount();
}

void Step::Feed(int arg, Array value) {
  int64_t activated = 0;
  auto edges = plan_.arg_edges(arg);
  if (shared_) {
    Deliver<true>(*driver_, root_, edges, &value, false, &activated);
  } else {
    Deliver<false>(*driver_, root_, edges, &value, false, &activated);
  }
  if (activated) AddOutstanding(activated);
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

// Values that nobody consumed: inputs of nodes that never fired.
void Step::ClearLeftovers() {
  for (size_t i = 0; i < plan_.num_slots(); ++i) {
    if (slots_[i] && !plan_.is_preset(static_cast<uint32_t>(i)))
      slots_[i] = Array();
  }
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

void Step::Push(Local& local, Token token) {
  if (plan_.nodes()[token.node].heavy) {
    local.heavy.push_back(token);
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
      if (Execute(token, outputs) == Outcome::kPending) continue;
    } else {
      dead = true;
    }
    if (kStats || sampled) {
      uint64_t end = CycleCount();
      if (kStats) {
        local.last_end = end;
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
    for (uint32_t s = node.first_slot, e = s + node.num_inputs; s < e; ++s) {
      if (!plan_.is_preset(s)) token.block->slots[s] = Array();
    }
    int64_t activated = 0;
    Deliver<kShared>(local, *token.block,
                     {edges + node.first_edge, node.num_edges}, outputs, dead,
                     &activated);
    for (int i = 0; i < node.num_outputs; ++i) {
      if (outputs[i]) outputs[i] = Array();
    }
    if (activated != 1) {
      if (kShared) {
        int64_t left =
            outstanding_.fetch_add(activated - 1, std::memory_order_acq_rel) +
            activated - 1;
        if (left == 0) event_.Notify();
      } else {
        outstanding_.store(
            outstanding_.load(std::memory_order_relaxed) + activated - 1,
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
  std::atomic<uint32_t>& pending = block.pending[node];
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
void Step::Deliver(Local& local, IterBlock& block,
                   std::span<const PlanEdge> edges, Array* outputs, bool dead,
                   int64_t* activated) {
  for (const PlanEdge& e : edges) {
    bool dead_value = dead;
    if (e.route != Route::kControl && !dead) {
      Array value = e.last ? std::move(outputs[e.output]) : outputs[e.output];
      dead_value = !value;
      if (e.route == Route::kFetch) {
        results_[e.node] = std::move(value);
        continue;
      }
      block.slots[e.slot] = std::move(value);
    } else if (e.route == Route::kFetch) {
      continue;
    }
    bool is_dead;
    if (Arrive<kShared>(block, e.node, dead_value, &is_dead)) {
      Push(local, {&block, e.node, is_dead});
      ++*activated;
    }
  }
}

Step::Outcome Step::Execute(const Token& token, Array* outputs) {
  const PlanNode& node = plan_.nodes()[token.node];
  if (node.kind == NodeKind::kAsync) {
    LaunchAsync(token);
    return Outcome::kPending;
  }
  const PlanNodeInfo& info = plan_.info(token.node);
  Array* inputs = token.block->slots + node.first_slot;
  Status status = Compute(node, info, inputs, outputs);
  if (!status.ok()) [[unlikely]] {
    if (node.node)
      status = AtNode(status, *node.node, {inputs, node.num_inputs});
    Fail(status);
  }
  return Outcome::kDone;
}

Status Step::Compute(const PlanNode& node, const PlanNodeInfo& info,
                     Array* inputs, Array* outputs) {
  std::span<Array> in(inputs, node.num_inputs), out(outputs, node.num_outputs);
  switch (node.kind) {
    case NodeKind::kIsland:
      return info.tape->Run(context_, in, out);
    case NodeKind::kNative:
      return info.native->Run(context_, in, out);
    case NodeKind::kElementwise:
      return LaunchElementwise(info, context_, in, &outputs[0]);
    default:
      return LaunchKernel(node, info, context_, in, out);
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
    for (const Token& t : own->tokens) step.Push(here, t);
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
  auto* op =
      AsyncOp::Make(this, token, info, context_, inputs, node.num_outputs);
  for (uint32_t i = 0; i < node.num_inputs; ++i) {
    if (!plan_.is_preset(node.first_slot + i)) inputs[i] = Array();
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
    if (dead) Fail(AtNode(own->status, *info.node, own->inputs));
    if (stats_) {
      local.firings.push_back(
          {own->token.node, local.worker, own->started, CycleCount(), 0});
    }
    own->inputs.clear();
    int64_t activated = 0;
    std::span<const PlanEdge> edges{plan_.edges().data() + node.first_edge,
                                    node.num_edges};
    if (shared_) {
      Deliver<true>(local, *own->token.block, edges, own->outputs.data(), dead,
                    &activated);
    } else {
      Deliver<false>(local, *own->token.block, edges, own->outputs.data(), dead,
                     &activated);
    }
    AddOutstanding(activated - 1);
  }
  return any;
}

std::string Step::WhyWaiting() const {
  std::string out;
  int shown = 0;
  for (uint32_t i = 0; i < plan_.nodes().size() && shown < 20; ++i) {
    uint32_t pending = pending_[i].load(std::memory_order_relaxed) & ~kDeadBit;
    if (pending == 0) continue;
    const PlanNodeInfo& info = plan_.info(i);
    std::string name =
        info.node ? StrCat(info.node->op().name, " \"", info.node->name(), "\"")
                  : StrCat("island ", i);
    StrAppend(out, shown++ ? "\n" : "", name, " waits for ", pending,
              " of its inputs");
    const PlanNode& node = plan_.nodes()[i];
    for (int k = 0; info.node && k < info.node->num_inputs(); ++k) {
      if (!slots_[node.first_slot + static_cast<uint32_t>(k)]) {
        StrAppend(out, "; \"", info.node->input(k).ToString(), "\"");
      }
    }
  }
  return out;
}

}  // namespace sluice
