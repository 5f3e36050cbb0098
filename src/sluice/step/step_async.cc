// Asynchronous kernels: launched by any thread, their completions processed by
// the driver.
#include "sluice/base/caught.h"
#include "sluice/launch/node_error.h"
#include "sluice/op/async_launch.h"
#include "sluice/step/async_op.h"
#include "sluice/step/step_local.h"

namespace sluice {

Step::Outcome Step::LaunchAsync(const Token& token, Array* outputs) {
  const PlanNode& node = plan_.nodes()[token.node];
  const PlanNodeInfo& info = plan_.info(token.node);
  std::span<Array> inputs(token.block->slots + node.first_slot,
                          node.num_inputs);
  auto op = std::make_unique<AsyncOp>(this, token, info, context_, inputs,
                                      token.block->sticky + node.first_slot,
                                      node.num_outputs);
  op->set_tag(TagOf(*token.block, info.calls));
  if (op->status.ok()) {
    AsyncLaunch launch;
    try {
      node.op->cpu().launch_async(*op);
    } catch (...) {
      if (!launch.kept()) op->Done(CaughtStatus());
    }
  } else {
    op->Done(op->status);
  }
  // Known to the step before Done can post it.
  if (!op->done()) {
    AddInFlight(op.get());
    if (!op->Launched()) {
      (void)op.release();
      return Outcome::kPending;
    }
    RemoveInFlight(op.get());
    visitors_.fetch_sub(1, std::memory_order_relaxed);
  }
  if (op->status.ok()) [[likely]] {
    for (uint32_t i = 0; i < node.num_outputs; ++i) {
      outputs[i] = std::move(op->outputs[i]);
    }
  } else {
    Fail(Located(AtNode(op->status, *info.origin, op->inputs), *token.block,
                 info.calls));
  }
  return Outcome::kDone;
}

void Step::AddInFlight(AsyncOp* op) {
  {
    MutexLock lock(mu_);
    op->later = in_flight_;
    if (in_flight_) in_flight_->earlier = op;
    in_flight_ = op;
  }
  visitors_.fetch_add(1, std::memory_order_relaxed);
}

void Step::RemoveInFlight(AsyncOp* op) {
  MutexLock lock(mu_);
  (op->earlier ? op->earlier->later : in_flight_) = op->later;
  if (op->later) op->later->earlier = op->earlier;
}

void Step::Post(AsyncOp* op) {
  AsyncOp* head = inbox_.load(std::memory_order_relaxed);
  do {
    op->next = head;
  } while (!inbox_.compare_exchange_weak(head, op, std::memory_order_seq_cst));
  WakeDriver();
  visitors_.fetch_sub(1, std::memory_order_release);
}

bool Step::DrainInbox(Local& local) {
  if (!inbox_.load(std::memory_order_relaxed)) return false;
  if (cancellation_->cancelled()) NoteDeadline();
  AsyncOp* op = inbox_.exchange(nullptr, std::memory_order_acq_rel);
  // The list starts with the last post: reverse it, so that completions are
  // processed in order of arrival.
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
    RemoveInFlight(own.get());
    const PlanNode& node = plan_.nodes()[own->token.node];
    const PlanNodeInfo& info = plan_.info(own->token.node);
    bool dead = !own->status.ok();
    IterBlock& block = *own->token.block;
    if (dead) {
      Fail(Located(AtNode(own->status, *info.origin, own->inputs), block,
                   info.calls));
    }
    if (stats_) {
      local.firings.push_back({own->token.node, local.worker, own->started,
                               CycleCount(), 0,
                               block.frame ? block.iteration : -1});
    }
    for (Array& in : own->inputs) in = Array();
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
