// The inner loop of the token machine: fires tokens and delivers their outputs.
#include "sluice/base/caught.h"
#include "sluice/base/clock.h"
#include "sluice/graph/flow_rules.h"
#include "sluice/launch/launch.h"
#include "sluice/launch/node_error.h"
#include "sluice/op/signature.h"
#include "sluice/step/step_local.h"

namespace sluice {

namespace {

constexpr int kInlineOutputs = 8;

int64_t BytesOf(std::span<const Array> outputs) {
  int64_t bytes = 0;
  for (const Array& a : outputs) {
    if (a && !IsReference(a.dtype())) bytes += a.bytes();
  }
  return bytes;
}

// Releases the inputs before the outputs are delivered, so that the last reader
// of a value finds it unshared.
[[gnu::always_inline]] inline void EmptyInputs(const PlanNode& node,
                                               IterBlock& block) {
  Array* slots = block.slots + node.first_slot;
  if (!node.sticky) [[likely]] {
    for (uint32_t i = 0; i < node.num_inputs; ++i) slots[i] = Array();
    return;
  }
  const uint8_t* sticky = block.sticky + node.first_slot;
  for (uint32_t i = 0; i < node.num_inputs; ++i) {
    if (!sticky[i]) slots[i] = Array();
  }
}

}  // namespace

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
  while (!local.empty() && !local.used_up()) {
    if (shared_) {
      stats_ ? Fire<true, true>(local) : Fire<true, false>(local);
    } else {
      stats_ ? Fire<false, true>(local) : Fire<false, false>(local);
    }
  }
}

// Records the end of a firing that began at `start`, for costs and statistics.
template <bool kStats>
[[gnu::always_inline]] inline void Step::Measure(Local& local,
                                                 const Token& token,
                                                 std::span<const Array> outputs,
                                                 uint64_t start, bool dead,
                                                 bool sampled) {
  uint64_t end = CycleCount();
  if (kStats) local.last_end = end;
  if (kStats && !dead) {
    local.firings.push_back({token.node, local.worker, start, end,
                             BytesOf(outputs),
                             token.block->frame ? token.block->iteration : -1});
  }
  if (sampled) {
    plan_.ObserveCost(
        token.node,
        static_cast<float>(static_cast<double>(end - start) * NanosPerCycle()));
  }
}

// Counts a fired token and the tokens it has created.
template <bool kShared>
[[gnu::always_inline]] inline void Step::CountFiring(Local& local) {
  int64_t change = std::exchange(local.pushed, 0) - 1;
  if (change == 0) return;
  if (kShared) {
    int64_t left =
        outstanding_.fetch_add(change, std::memory_order_acq_rel) + change;
    if (left == 0) WakeDriver();
  } else {
    outstanding_.store(outstanding_.load(std::memory_order_relaxed) + change,
                       std::memory_order_relaxed);
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
  while (!local.used_up() && local.Pop(&token)) {
    const PlanNode& node = nodes[token.node];
    Array* outputs = outputs_inline;
    if (node.num_outputs > kInlineOutputs) [[unlikely]] {
      outputs_heap.resize(node.num_outputs);
      outputs = outputs_heap.data();
    }
    bool dead = token.dead;
    uint64_t start = 0;
    bool sampled = (++local.fired & 15) == 0;
    // One clock reading per firing: it starts where the previous one ended.
    if (kStats && local.last_end) {
      start = local.last_end;
    } else if (kStats || sampled) {
      start = CycleCount();
    }
    if (!dead && !cancellation_->cancelled()) [[likely]] {
      if (Execute(local, token, outputs) == Outcome::kPending) {
        // A call has created tokens, and is not one itself until it returns.
        if (local.pushed) AddOutstanding(std::exchange(local.pushed, 0));
        continue;
      }
    } else {
      if (!dead && &local == driver_.get()) NoteDeadline();
      dead = true;
    }
    if (kStats || sampled) {
      Measure<kStats>(local, token, {outputs, node.num_outputs}, start, dead,
                      sampled);
    }
    IterBlock& block = *token.block;
    EmptyInputs(node, block);
    int32_t activated = 0;
    Deliver<kShared>(local, block, {edges + node.first_edge, node.num_edges},
                     outputs, dead, &activated);
    for (int i = 0; i < node.num_outputs; ++i) {
      if (outputs[i]) outputs[i] = Array();
    }
    if (block.frame && activated != 1) {
      AddWork<kShared>(local, block, activated - 1);
    }
    CountFiring<kShared>(local);
    // Checking costs time, too: with heavy tokens always, with a long stack of
    // light ones every 64th time.
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
  // A count of 1 means that every other input has arrived: this is the last
  // one, and nobody else will access the count.
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
      if (dead) dead_results_[e.node] = 1;
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
      // Counts for the node but carries no value.
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
        // Stored to explain later why a value is dead.
        block.pending[token.node - block.first_node].store(
            *pred ? kDecided | kDecidedTrue : kDecided,
            std::memory_order_relaxed);
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
      return LaunchAsync(token, outputs);
    case NodeKind::kCopy:
    case NodeKind::kSwapOut:
      return StartCopyOf(token, outputs);
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
  const StepContext& here =
      node.device == 0 ? context_ : device_contexts_[node.device - 1u];
  // Bytecode takes its inputs; those that later iterations read, too, stay in
  // their slots.
  std::vector<Array> taken;
  if (node.kind == NodeKind::kBytecode && node.sticky) [[unlikely]] {
    for (uint32_t i = 0; i < node.num_inputs; ++i) taken.push_back(take(i));
    inputs = taken.data();
  }
  Status status;
  if (node.uses_tag && (block.frame || !info.calls.empty())) {
    StepContext context = here;
    context.tag = TagOf(block, info.calls);
    status = Compute(token, info, context, inputs, outputs);
  } else {
    status = Compute(token, info, here, inputs, outputs);
  }
  if (!status.ok()) [[unlikely]] {
    if (node.node)
      status = AtNode(InNameOf(status, *node.op, *info.origin), *info.origin,
                      {inputs, node.num_inputs});
    Fail(Located(std::move(status), block, info.calls));
  }
  return Outcome::kDone;
}

Status Step::Compute(const Token& token, const PlanNodeInfo& info,
                     const StepContext& context, Array* inputs,
                     Array* outputs) {
  const PlanNode& node = plan_.nodes()[token.node];
  std::span<Array> in(inputs, node.num_inputs), out(outputs, node.num_outputs);
  // Kernels may throw: their internal allocations may fail.
  try {
    switch (node.kind) {
      case NodeKind::kIsland:
      case NodeKind::kBytecode:
        if (!plan_.devices()[node.device]->synchronous()) {
          return RunPieceOnDevice(token, context, in, out);
        }
        SL_RETURN_IF_ERROR(info.piece->Run(context, in, out));
        return info.out_devices.empty() ? OkStatus()
                                        : MoveOutputs(info, outputs);
      case NodeKind::kLaunch:
        return LaunchOnDevice(token, context, outputs);
      case NodeKind::kElementwise:
        return LaunchElementwise(info, context, in, &outputs[0]);
      default:
        return LaunchKernel(*node.node, info, context, in, out);
    }
  } catch (...) {
    Status status = CaughtStatus();
    return node.op ? InOp(*node.op, std::move(status)) : status;
  }
}

}  // namespace sluice
