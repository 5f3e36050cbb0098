// Starts and ends frames and iterations.
#include <bit>
#include <cstring>

#include "sluice/graph/flow_rules.h"
#include "sluice/launch/node_error.h"
#include "sluice/step/step_local.h"

namespace sluice {

template <bool kShared>
Frame* Step::NewFrame(Local& local, uint32_t type, IterBlock& parent,
                      uint32_t caller) {
  const FrameInfo& info = plan_.frames()[type];
  Frame* frame;
  {
    FrameGuard<kShared> guard(frames_lock_);
    auto& free = free_frames_[type];
    if (free.empty()) {
      all_frames_.push_back(std::make_unique<Frame>());
      frame = all_frames_.back().get();
      frame->info = &info;
      frame->type = type;
      uint32_t window = std::min(info.window, kMaxWindow);
      frame->ring.resize(std::bit_ceil(window + 1));
      frame->constants.resize(info.constants.size());
      frame->results.resize(info.is_call ? info.num_results : 0);
    } else {
      frame = free.back();
      free.pop_back();
    }
  }
  FrameGuard<kShared> guard(frame->lock);
  frame->parent = &parent;
  frame->caller = caller;
  frame->depth = (parent.frame ? parent.frame->depth : 0) + info.is_call;
  frame->tag = info.is_call ? TagOf(parent, plan_.info(caller).calls)
                            : TagOf(parent, info.calls);
  frame->first = 0;
  frame->next.store(0, std::memory_order_relaxed);
  frame->missing_enters = info.enters;
  frame->missing_constants = static_cast<uint32_t>(info.constants.size());
  frame->dead_constant = false;
  frame->constant_state.assign(info.constants.size(), Frame::kMissing);
  frame->exited.assign(info.exits.size(), 0);
  frame->active = true;
  StartIteration<kShared>(local, *frame);
  return frame;
}

template <bool kShared>
Frame* Step::Child(Local& local, IterBlock& block, uint32_t where) {
  std::atomic<Frame*>& child = block.children[where];
  if (Frame* frame = child.load(std::memory_order_acquire)) return frame;
  // The block's frame guards its children; for the root it is the step's lock.
  FrameGuard<kShared> guard(block.frame ? block.frame->lock : root_lock_);
  if (Frame* frame = child.load(std::memory_order_relaxed)) return frame;
  Frame* frame =
      NewFrame<kShared>(local, block.info->children[where], block, 0);
  Change<kShared>(block.work, 1);
  child.store(frame, std::memory_order_release);
  return frame;
}

// REQUIRES: the frame's lock held when shared.
template <bool kShared>
IterBlock* Step::StartIteration(Local& local, Frame& frame) {
  const FrameInfo& info = *frame.info;
  IterBlock* block = frame.spare;
  if (block) {
    frame.spare = block->next;
  } else {
    FrameGuard<kShared> guard(frames_lock_);
    block = NewBlock(frame.type);
  }
  int64_t number = frame.next.load(std::memory_order_relaxed);
  block->frame = &frame;
  block->iteration = number;
  block->tag =
      info.is_call
          ? IterationTag(frame.tag, plan_.info(frame.caller).info.key, 0)
          : IterationTag(frame.tag, info.key, static_cast<uint64_t>(number));
  bool ready = frame.missing_constants == 0 && !frame.dead_constant &&
               !info.slow_constants;
  const std::vector<uint32_t>& pending =
      ready ? info.pending_ready : info.pending;
  // Nobody else sees the counts yet, so they may be set as plain memory.
  if (!pending.empty()) {
    std::memcpy(static_cast<void*>(block->pending), pending.data(),
                pending.size() * sizeof(uint32_t));
  }
  int32_t activated = 0;
  const auto& sources = ready ? info.sources_ready : info.sources;
  for (uint32_t node : sources) {
    Push(local, {block, node, false}, true);
    ++activated;
  }
  if (ready && !block->filled) {
    for (size_t c = 0; c < info.constants.size(); ++c) {
      for (const PlanEdge& e : plan_.edges_of(info.constants[c])) {
        if (e.route == Route::kSlot) block->slots[e.slot] = frame.constants[c];
      }
    }
    block->filled = true;
  } else if (!ready) {
    for (size_t c = 0; c < info.constants.size(); ++c) {
      if (frame.constant_state[c] == Frame::kMissing) continue;
      for (const PlanEdge& e : plan_.edges_of(info.constants[c])) {
        activated +=
            Bring<kShared>(local, *block, e, frame.constants[c],
                           frame.constant_state[c] == Frame::kDead, true);
      }
    }
  }
  block->work.store(activated, std::memory_order_relaxed);
  frame.at(number) = block;
  frame.next.store(number + 1, std::memory_order_release);
  return block;
}

template <bool kShared>
void Step::AddWork(Local& local, IterBlock& block, int32_t delta) {
  // Ending one frame may end the enclosing iteration, and so on outwards.
  IterBlock* at = &block;
  for (;;) {
    Frame& frame = *at->frame;  // the block may be reused right after
    int32_t left = Change<kShared>(at->work, delta);
    if (left != 0) return;
    if (!Retire<kShared>(local, frame)) return;
    at = frame.parent;
    delta = EndFrame<kShared>(local, frame) - 1;
    if (!at->frame) return;
  }
}

// Retires finished iterations; true if the frame ends with them.
template <bool kShared>
bool Step::Retire(Local& local, Frame& frame) {
  // Arrays are destroyed after the lock is released.
  struct Drop {
    ~Drop() {
      if (kShared) arrays.clear();
    }
    std::vector<Array>& arrays;
  } drop{local.dropped};
  FrameGuard<kShared> guard(frame.lock);
  while (frame.active) {
    IterBlock* oldest = frame.at(frame.first);
    if (oldest->work.load(std::memory_order_acquire) != 0) return false;
    if (frame.first == 0 && frame.missing_enters != 0) return false;
    if (kShared) {
      TakeSlots(*oldest, local.dropped);
    } else {
      ClearSlots(*oldest, false);
    }
    oldest->next = frame.spare;
    frame.spare = oldest;
    ++frame.first;
    if (!frame.parked.empty()) {
      IterBlock* block = StartIteration<kShared>(local, frame);
      for (Frame::Parked& p : frame.parked) {
        if (Bring<kShared>(local, *block, *p.edge, std::move(p.value), false,
                           true)) {
          Change<kShared>(block->work, 1);
        }
      }
      frame.parked.clear();
    }
    if (frame.first == frame.next.load(std::memory_order_relaxed)) {
      frame.active = false;
      return true;
    }
  }
  return false;
}

// Delivers the remaining results to the enclosing block; returns the number of
// tokens that this created.
template <bool kShared>
int32_t Step::EndFrame(Local& local, Frame& frame) {
  IterBlock& parent = *frame.parent;
  const FrameInfo& info = *frame.info;
  int32_t activated = 0;
  if (info.is_call) {
    const PlanNode& node = plan_.nodes()[frame.caller];
    for (const FrameInfo::PresetResult& p : info.preset_results) {
      frame.results[static_cast<size_t>(p.result)] = p.value;
    }
    Deliver<kShared>(
        local, parent, {plan_.edges().data() + node.first_edge, node.num_edges},
        frame.results.data(), cancellation_->cancelled(), &activated);
    for (Array& value : frame.results) value = Array();
  } else {
    parent.children[info.child].store(nullptr, std::memory_order_relaxed);
    bool told = false;
    for (size_t i = 0; i < info.exits.size(); ++i) {
      if (frame.exited[i]) continue;
      // The last iteration was retired last, so it is the first spare block.
      if (!std::exchange(told, true) && !parent.frame) {
        KeepDecisions(frame, *frame.spare);
      }
      activated += Bring<kShared>(local, parent, plan_.edges()[info.exits[i]],
                                  Array(), true, false);
    }
  }
  EmptyFrame(frame);  // nobody else sees it any more
  FrameGuard<kShared> guard(frames_lock_);
  ReleaseFrame(frame);
  return activated;
}

template <bool kShared>
void Step::StartCall(Local& local, const Token& token) {
  const PlanNode& node = plan_.nodes()[token.node];
  const PlanNodeInfo& info = plan_.info(token.node);
  IterBlock& block = *token.block;
  Array* inputs = block.slots + node.first_slot;
  Frame* frame = nullptr;
  int32_t depth = block.frame ? block.frame->depth : 0;
  if (depth >= kMaxCallDepth) {
    Fail(Located(AtNode(CallsTooDeep(*info.origin), *info.origin, {}), block,
                 info.calls));
  }
  // A call that must not run still ends: without results, dead.
  frame = NewFrame<kShared>(local, info.callee, block, token.node);
  IterBlock& body = *frame->at(0);
  for (uint32_t i = 0; i < node.num_inputs; ++i) {
    Array value =
        block.sticky[node.first_slot + i] ? inputs[i] : std::move(inputs[i]);
    int32_t activated = 0;
    Deliver<kShared>(local, body, plan_.edges_of(frame->info->args[i]), &value,
                     false, &activated);
    Change<kShared>(body.work, activated);
  }
  // The token itself is consumed; the frame takes over its share of the block's
  // work.
  --local.pushed;
  Entered<kShared>(local, *frame);
}

#define SL_INSTANTIATE(shared)                                       \
  template Frame* Step::Child<shared>(Local&, IterBlock&, uint32_t); \
  template IterBlock* Step::StartIteration<shared>(Local&, Frame&);  \
  template void Step::AddWork<shared>(Local&, IterBlock&, int32_t);  \
  template void Step::StartCall<shared>(Local&, const Token&);
SL_INSTANTIATE(true)
SL_INSTANTIATE(false)
#undef SL_INSTANTIATE

}  // namespace sluice
