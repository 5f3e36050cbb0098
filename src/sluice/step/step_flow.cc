// Loops and calls on the token machine. The rules:
//
// An Enter starts iteration 0 of its frame if it is the first to arrive. A
// constant one reaches every iteration, including later ones. A NextIteration
// starts the next iteration, or is parked while too many are alive; a dead one
// stops. An Exit goes to the block the frame was entered from; an Exit that has
// not happened when the frame ends is dead. An iteration ends when nothing is
// left to do in it or below it and the previous one has ended (the first: when
// all Enters have arrived). A frame ends with its last iteration.
//
// If the step is shared, a frame's lock guards starting, parking and ending
// iterations. A thread may access a frame that has just ended: frames and
// blocks are pooled and never freed during the step, so it finds nothing to do.
#include "sluice/base/strings.h"
#include "sluice/launch/node_error.h"
#include "sluice/step/step_local.h"

namespace sluice {

template <bool kShared>
IterBlock* Step::NextBlock(Local& local, IterBlock& block, const PlanEdge& edge,
                           Array& value) {
  Frame& frame = *block.frame;
  int64_t number = block.iteration + 1;
  if (number < frame.next.load(std::memory_order_acquire)) {
    return frame.at(number);
  }
  FrameGuard<kShared> guard(frame.lock);
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
  FrameGuard<kShared> guard(frame.lock);
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
    Change<kShared>(block.work, activated);
  }
}

template <bool kShared>
void Step::Entered(Local& local, Frame& frame) {
  IterBlock* first;
  {
    FrameGuard<kShared> guard(frame.lock);
    if (--frame.missing_enters != 0) return;
    first = frame.at(0);
    Change<kShared>(first->work, 1);
  }
  // No other work may be left in it.
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
        Change<kShared>(target->work, 1);
      }
      return;
    }
    case Way::kExit: {
      // Dead ones wait for the frame's end: a later iteration may be alive.
      if (dead) return;
      Frame& frame = *block.frame;
      if (std::exchange(frame.exited[e.where], 1)) {
        Fail(Located(
            InvalidArgument(StrCat("[Exit] leaves frame \"", frame.info->name,
                                   "\" a second time; wanted one value from "
                                   "a loop")),
            block, {}));
        return;
      }
      target = frame.parent;
      if (Bring<kShared>(local, *target, e, std::move(value), false, false)) {
        Change<kShared>(target->work, 1);
      }
      return;
    }
    case Way::kEnter: {
      Frame* frame = Child<kShared>(local, block, e.where);
      target = frame->at(0);
      if (Bring<kShared>(local, *target, e, std::move(value), dead, false)) {
        Change<kShared>(target->work, 1);
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
    now = Change<kShared>(word, ~0u);
  } else if (dead) {
    now = Change<kShared>(word, 0u - kMergeDeadUnit);
  } else {
    if (SetBits<kShared>(word, kMergeTaken) & kMergeTaken) {
      return 0;  // another one was first
    }
    block.slots[node.first_slot] = std::move(value);
    if (node.wants_index) {
      block.slots[node.first_slot + 1] =
          Array::Scalar(static_cast<int32_t>(e.slot));
    }
    now = SetBits<kShared>(word, kMergeLive) | kMergeLive;
  }
  if ((now & kMergeControls) != 0) return 0;
  bool live = (now & kMergeLive) != 0;
  bool all_dead = (now & kMergeDeadMask) == 0 && !(now & kMergeTaken);
  if (!live && !all_dead) return 0;
  if (SetBits<kShared>(word, kMergeFired) & kMergeFired) {
    return 0;
  }
  Push(local, {&block, e.node, !live}, later);
  return 1;
}

#define SL_INSTANTIATE(shared)                                            \
  template void Step::Across<shared>(Local&, IterBlock&, const PlanEdge&, \
                                     Array, bool);                        \
  template int32_t Step::BringToMerge<shared>(                            \
      Local&, IterBlock&, const PlanEdge&, Array, bool, bool);            \
  template void Step::Entered<shared>(Local&, Frame&);
SL_INSTANTIATE(true)
SL_INSTANTIATE(false)
#undef SL_INSTANTIATE

}  // namespace sluice
