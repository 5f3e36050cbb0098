// Loops and calls on the token machine. The rules:
//
//   An Enter starts iteration 0 of its frame when it is the first to arrive.
//   A constant one reaches every iteration, also those to come. What goes round
//   starts the next iteration, or is parked while too many are alive; a dead
//   one stops. What leaves goes to the block the frame was entered from; what
//   has not left when the frame ends is dead.
//   An iteration ends when nothing is left to do in it or below it and the one
//   before has ended (the first: when all Enters have arrived). A frame ends
//   with its last iteration.
//
// When the step is shared, a frame's lock guards starting, parking and ending
// iterations. A thread may look at a frame that has just ended: frames and
// blocks are pooled and never freed while the step lives, so it finds nothing
// to do.
#include <cstring>
#include <mutex>

#include "sluice/executor/flow_rules.h"
#include "sluice/executor/node_error.h"
#include "sluice/executor/step_local.h"

namespace sluice {

namespace {

// More would only cost memory.
constexpr uint32_t kMaxWindow = 4096;

template <bool kShared>
class Guard {
 public:
  explicit Guard(SpinLock& lock) : lock_(lock) {
    if (kShared) lock_.lock();
  }
  ~Guard() {
    if (kShared) lock_.unlock();
  }

 private:
  SpinLock& lock_;
};

}  // namespace

// ---- Memory ----

void Step::InitBlock(IterBlock& block, const FrameInfo& info) {
  block.info = &info;
  block.first_node = info.first_node;
  block.pending_memory.reset(new std::atomic<uint32_t>[info.num_nodes]);
  block.slot_memory.reset(new Array[info.num_slots]);
  block.pending = block.pending_memory.get();
  block.slots = block.slot_memory.get();
  block.sticky = info.sticky.data();
  if (info.num_children) {
    block.children.reset(new std::atomic<Frame*>[info.num_children]);
    for (uint32_t i = 0; i < info.num_children; ++i)
      block.children[i] = nullptr;
  }
}

// REQUIRES: frames_lock_ held when shared.
IterBlock* Step::NewBlock(uint32_t type) {
  if (IterBlock* block = free_blocks_[type]) {
    free_blocks_[type] = block->next;
    return block;
  }
  const FrameInfo& info = plan_.frames()[type];
  auto block = std::make_unique<IterBlock>();
  InitBlock(*block, info);
  for (const FrameInfo::Preset& p : info.presets) {
    block->slots[p.slot] = p.value;
  }
  all_blocks_.push_back(std::move(block));
  return all_blocks_.back().get();
}

void Step::ClearSlots(IterBlock& block, bool constants_too) {
  const FrameInfo& info = *block.info;
  for (uint32_t i = 0; i < info.num_slots; ++i) {
    if (block.slots[i] && !block.sticky[i]) block.slots[i] = Array();
  }
  if (!constants_too) return;
  for (const FrameInfo::Range& range : info.constants) {
    for (const PlanEdge& e : plan_.edges_of(range)) {
      if (e.route == Route::kSlot) block.slots[e.slot] = Array();
    }
  }
}

// REQUIRES: frames_lock_ held when shared.
void Step::ReleaseFrame(Frame& frame) {
  while (IterBlock* block = frame.spare) {
    frame.spare = block->next;
    ClearSlots(*block, true);
    block->filled = false;
    block->next = free_blocks_[frame.type];
    free_blocks_[frame.type] = block;
  }
  for (Array& value : frame.constants) value = Array();
  frame.parked.clear();
  free_frames_[frame.type].push_back(&frame);
}

void Step::ClearFrames() {
  for (auto& frame : all_frames_) {
    if (!frame->active) continue;
    ++frames_left_;
    for (int64_t i = frame->first; i < frame->next; ++i) {
      IterBlock* block = frame->at(i);
      for (uint32_t k = 0; k < block->info->num_children; ++k) {
        block->children[k] = nullptr;
      }
      block->work.store(0, std::memory_order_relaxed);
      block->next = frame->spare;
      frame->spare = block;
    }
    for (Array& value : frame->results) value = Array();
    frame->active = false;
    ReleaseFrame(*frame);
  }
  for (uint32_t k = 0; k < root_.info->num_children; ++k) {
    root_.children[k] = nullptr;
  }
}

// ---- Frames ----

template <bool kShared>
Frame* Step::NewFrame(Local& local, uint32_t type, IterBlock& parent,
                      uint32_t caller) {
  const FrameInfo& info = plan_.frames()[type];
  Frame* frame;
  {
    Guard<kShared> guard(frames_lock_);
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
  Guard<kShared> guard(frame->lock);
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
  // The block's own frame guards its children; the root has the step's lock.
  Guard<kShared> guard(block.frame ? block.frame->lock : root_lock_);
  if (Frame* frame = child.load(std::memory_order_relaxed)) return frame;
  uint32_t type = 0;
  for (uint32_t f = 0; f < plan_.frames().size(); ++f) {
    const FrameInfo& info = plan_.frames()[f];
    if (info.parent >= 0 && info.child == where &&
        &plan_.frames()[static_cast<size_t>(info.parent)] == block.info) {
      type = f;
    }
  }
  Frame* frame = NewFrame<kShared>(local, type, block, 0);
  block.work.fetch_add(1, std::memory_order_relaxed);
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
    Guard<kShared> guard(frames_lock_);
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

// ---- Ways ----

template <bool kShared>
IterBlock* Step::NextBlock(Local& local, IterBlock& block, const PlanEdge& edge,
                           Array& value) {
  Frame& frame = *block.frame;
  int64_t number = block.iteration + 1;
  if (number < frame.next.load(std::memory_order_acquire)) {
    return frame.at(number);
  }
  Guard<kShared> guard(frame.lock);
  if (number < frame.next.load(std::memory_order_relaxed)) {
    return frame.at(number);
  }
  if (number - frame.first < std::min(frame.info->window, kMaxWindow)) {
    return StartIteration<kShared>(local, frame);
  }
  frame.parked.push_back({&edge, std::move(value)});
  return nullptr;
}

template <bool kShared>
void Step::SetConstant(Local& local, Frame& frame, uint32_t index, Array value,
                       bool dead) {
  Guard<kShared> guard(frame.lock);
  frame.constant_state[index] = dead ? Frame::kDead : Frame::kLive;
  frame.constants[index] = std::move(value);
  --frame.missing_constants;
  frame.dead_constant = frame.dead_constant || dead;
  int64_t end = frame.next.load(std::memory_order_relaxed);
  for (int64_t i = frame.first; i < end; ++i) {
    IterBlock& block = *frame.at(i);
    int32_t activated = 0;
    for (const PlanEdge& e : plan_.edges_of(frame.info->constants[index])) {
      activated +=
          Bring<kShared>(local, block, e, frame.constants[index], dead, false);
    }
    block.work.fetch_add(activated, std::memory_order_relaxed);
  }
}

template <bool kShared>
void Step::Entered(Local& local, Frame& frame) {
  IterBlock* first;
  {
    Guard<kShared> guard(frame.lock);
    if (--frame.missing_enters != 0) return;
    first = frame.at(0);
    first->work.fetch_add(1, std::memory_order_relaxed);
  }
  // Nothing else may be left to do in it.
  AddWork<kShared>(local, *first, -1);
}

template <bool kShared>
void Step::Across(Local& local, IterBlock& block, const PlanEdge& e,
                  Array value, bool dead) {
  IterBlock* target = nullptr;
  switch (e.way) {
    case Way::kNext: {
      if (dead) return;
      target = NextBlock<kShared>(local, block, e, value);
      if (!target) return;
      if (Bring<kShared>(local, *target, e, std::move(value), false, true)) {
        target->work.fetch_add(1, std::memory_order_relaxed);
      }
      return;
    }
    case Way::kExit: {
      // Dead ones wait for the frame's end: a later iteration may be alive.
      if (dead) return;
      Frame& frame = *block.frame;
      if (std::exchange(frame.exited[e.where], 1)) {
        const Node& loop = *frame.info->loop;
        Fail(Located(AtNode(InvalidArgument("[Exit] a value leaves the loop in "
                                            "more than one iteration; wanted "
                                            "one at most"),
                            loop, {}),
                     block, {}));
        return;
      }
      target = frame.parent;
      if (Bring<kShared>(local, *target, e, std::move(value), false, false)) {
        target->work.fetch_add(1, std::memory_order_relaxed);
      }
      return;
    }
    case Way::kEnter: {
      Frame* frame = Child<kShared>(local, block, e.where);
      target = frame->at(0);
      if (Bring<kShared>(local, *target, e, std::move(value), dead, false)) {
        target->work.fetch_add(1, std::memory_order_relaxed);
      }
      Entered<kShared>(local, *frame);
      return;
    }
    case Way::kConstant: {
      Frame* frame = Child<kShared>(local, block, e.where);
      SetConstant<kShared>(local, *frame, e.node, std::move(value), dead);
      Entered<kShared>(local, *frame);
      return;
    }
    default:
      return;
  }
}

template <bool kShared>
int32_t Step::BringToMerge(Local& local, IterBlock& block, const PlanEdge& e,
                           Array value, bool dead, bool later) {
  std::atomic<uint32_t>& word = block.pending[e.node - block.first_node];
  const PlanNode& node = plan_.nodes()[e.node];
  uint32_t now;
  if (e.route == Route::kMergeControl) {
    now = word.fetch_sub(1, std::memory_order_acq_rel) - 1;
  } else if (dead) {
    now = word.fetch_sub(kMergeDeadUnit, std::memory_order_acq_rel) -
          kMergeDeadUnit;
  } else {
    if (word.fetch_or(kMergeTaken, std::memory_order_acq_rel) & kMergeTaken) {
      return 0;  // another one came first
    }
    block.slots[node.first_slot] = std::move(value);
    if (node.wants_index) {
      block.slots[node.first_slot + 1] =
          Array::Scalar(static_cast<int32_t>(e.slot));
    }
    now = word.fetch_or(kMergeLive, std::memory_order_acq_rel) | kMergeLive;
  }
  if ((now & kMergeControls) != 0) return 0;
  bool live = (now & kMergeLive) != 0;
  bool all_dead = (now & kMergeDeadMask) == 0 && !(now & kMergeTaken);
  if (!live && !all_dead) return 0;
  if (word.fetch_or(kMergeFired, std::memory_order_acq_rel) & kMergeFired) {
    return 0;
  }
  Push(local, {&block, e.node, !live}, later);
  return 1;
}

// ---- Ends ----

template <bool kShared>
void Step::AddWork(Local& local, IterBlock& block, int32_t delta) {
  // Ending one frame may end the iteration around it, and so on outwards.
  IterBlock* at = &block;
  for (;;) {
    Frame& frame = *at->frame;  // the block may be another's right after
    int32_t left;
    if (kShared) {
      left = at->work.fetch_add(delta, std::memory_order_acq_rel) + delta;
    } else {
      left = at->work.load(std::memory_order_relaxed) + delta;
      at->work.store(left, std::memory_order_relaxed);
    }
    if (left != 0) return;
    if (!Retire<kShared>(local, frame)) return;
    at = frame.parent;
    delta = EndFrame<kShared>(local, frame) - 1;
    if (!at->frame) return;
  }
}

// Ends the iterations that are over; true when the frame is over with them.
template <bool kShared>
bool Step::Retire(Local& local, Frame& frame) {
  Guard<kShared> guard(frame.lock);
  while (frame.active) {
    IterBlock* oldest = frame.at(frame.first);
    if (oldest->work.load(std::memory_order_acquire) != 0) return false;
    if (frame.first == 0 && frame.missing_enters != 0) return false;
    ClearSlots(*oldest, false);
    oldest->next = frame.spare;
    frame.spare = oldest;
    ++frame.first;
    if (!frame.parked.empty()) {
      IterBlock* block = StartIteration<kShared>(local, frame);
      for (Frame::Parked& p : frame.parked) {
        if (Bring<kShared>(local, *block, *p.edge, std::move(p.value), false,
                           true)) {
          block->work.fetch_add(1, std::memory_order_relaxed);
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

// Gives the block around it what is still owed; how many tokens that made.
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
    for (size_t i = 0; i < info.exits.size(); ++i) {
      if (frame.exited[i]) continue;
      activated += Bring<kShared>(local, parent, plan_.edges()[info.exits[i]],
                                  Array(), true, false);
    }
  }
  Guard<kShared> guard(frames_lock_);
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
  // A call that must not run still ends: with no results, dead.
  frame = NewFrame<kShared>(local, info.callee, block, token.node);
  IterBlock& body = *frame->at(0);
  for (uint32_t i = 0; i < node.num_inputs; ++i) {
    Array value =
        block.sticky[node.first_slot + i] ? inputs[i] : std::move(inputs[i]);
    int32_t activated = 0;
    Deliver<kShared>(local, body, plan_.edges_of(frame->info->args[i]), &value,
                     false, &activated);
    body.work.fetch_add(activated, std::memory_order_relaxed);
  }
  // The token itself is spent; its share of the block's work is the frame's.
  --local.pushed;
  Entered<kShared>(local, *frame);
}

// ---- Tags and errors ----

uint64_t Step::TagOf(const IterBlock& block,
                     const std::vector<const Node*>& calls) const {
  uint64_t tag = block.frame ? block.tag : context_.tag;
  for (size_t i = calls.size(); i-- > 0;) {
    tag = IterationTag(tag, calls[i]->key(), 0);
  }
  return tag;
}

Status Step::Located(Status status, const IterBlock& block,
                     const std::vector<const Node*>& calls) const {
  for (const Node* call : calls) status = InCall(status, *call);
  const IterBlock* at = &block;
  while (const Frame* frame = at->frame) {
    const FrameInfo& info = *frame->info;
    if (info.is_call) {
      const PlanNodeInfo& caller = plan_.info(frame->caller);
      status = InCall(status, *caller.origin);
      for (const Node* call : caller.calls) status = InCall(status, *call);
    } else {
      status = InIteration(status, *info.loop, at->iteration);
      for (const Node* call : info.calls) status = InCall(status, *call);
    }
    at = frame->parent;
  }
  return status;
}

Status Step::BadPredicate(const PlanNodeInfo& info, const Array& pred) const {
  const Node& node = *info.origin;
  Status status = node.op().flow == Flow::kBranch
                      ? ChosenRegion(node, pred).status()
                      : PredicateValue(pred).status();
  return AtNode(status, node, {&pred, 1});
}

#define SL_INSTANTIATE(shared)                                            \
  template void Step::Across<shared>(Local&, IterBlock&, const PlanEdge&, \
                                     Array, bool);                        \
  template int32_t Step::BringToMerge<shared>(                            \
      Local&, IterBlock&, const PlanEdge&, Array, bool, bool);            \
  template void Step::AddWork<shared>(Local&, IterBlock&, int32_t);       \
  template void Step::StartCall<shared>(Local&, const Token&);
SL_INSTANTIATE(true)
SL_INSTANTIATE(false)
#undef SL_INSTANTIATE

}  // namespace sluice
