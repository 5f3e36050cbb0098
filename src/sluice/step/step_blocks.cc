// The memory of frames, and facts about a place in them: its random numbers and
// the wording of its errors.
#include "sluice/base/strings.h"
#include "sluice/graph/flow_rules.h"
#include "sluice/graph/frame_rules.h"
#include "sluice/launch/node_error.h"
#include "sluice/step/step.h"

namespace sluice {

void Step::InitBlock(IterBlock& block, const FrameInfo& info) {
  block.info = &info;
  block.first_node = info.first_node;
  block.pending_memory.reset(new std::atomic<uint32_t>[info.num_nodes]);
  block.slot_memory.reset(new Array[info.num_slots]);
  block.pending = block.pending_memory.get();
  block.slots = block.slot_memory.get();
  block.sticky = info.sticky.data();
  if (!info.children.empty()) {
    block.children.reset(new std::atomic<Frame*>[info.children.size()]);
    for (size_t i = 0; i < info.children.size(); ++i)
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

int64_t Step::blocks_in_use() const {
  auto count = static_cast<int64_t>(all_blocks_.size());
  for (const IterBlock* block : free_blocks_) {
    for (; block; block = block->next) --count;
  }
  return count;
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

void Step::TakeSlots(IterBlock& block, std::vector<Array>& dropped) {
  const FrameInfo& info = *block.info;
  for (uint32_t i = 0; i < info.num_slots; ++i) {
    if (block.slots[i] && !block.sticky[i]) {
      dropped.push_back(std::move(block.slots[i]));
    }
  }
}

// Not under a spin lock: destroying an array may take long and may take other
// locks, such as Python's.
void Step::EmptyFrame(Frame& frame) {
  for (IterBlock* block = frame.spare; block; block = block->next) {
    ClearSlots(*block, true);
    block->filled = false;
  }
  for (Array& value : frame.constants) value = Array();
  frame.parked.clear();
}

// REQUIRES: EmptyFrame before; frames_lock_ held when shared.
void Step::ReleaseFrame(Frame& frame) {
  while (IterBlock* block = frame.spare) {
    frame.spare = block->next;
    block->next = free_blocks_[frame.type];
    free_blocks_[frame.type] = block;
  }
  free_frames_[frame.type].push_back(&frame);
}

void Step::ClearFrames() {
  for (auto& frame : all_frames_) {
    if (!frame->active) continue;
    ++frames_left_;
    for (int64_t i = frame->first; i < frame->next; ++i) {
      IterBlock* block = frame->at(i);
      for (size_t k = 0; k < block->info->children.size(); ++k) {
        block->children[k] = nullptr;
      }
      block->work.store(0, std::memory_order_relaxed);
      block->next = frame->spare;
      frame->spare = block;
    }
    for (Array& value : frame->results) value = Array();
    frame->active = false;
    EmptyFrame(*frame);
    ReleaseFrame(*frame);
  }
  for (size_t k = 0; k < root_.info->children.size(); ++k) {
    root_.children[k] = nullptr;
  }
}

uint64_t Step::TagOf(const IterBlock& block,
                     const std::vector<const Node*>& calls) const {
  uint64_t tag = block.frame ? block.tag : context_.tag;
  for (size_t i = calls.size(); i-- > 0;) {
    tag = IterationTag(tag, calls[i]->key(), 0);
  }
  return tag;
}

std::vector<Step::Around> Step::PlaceIn(const IterBlock& block) {
  std::vector<Around> place;
  for (const IterBlock* at = &block; at->frame; at = at->frame->parent) {
    place.push_back({at->frame->info, at->frame->caller, at->iteration});
  }
  return place;
}

Status Step::AtPlace(Status status, std::span<const Around> place,
                     const std::vector<const Node*>& calls) const {
  for (const Node* call : calls) status = InCall(status, *call);
  for (const Around& around : place) {
    const FrameInfo& info = *around.frame;
    if (info.is_call) {
      const PlanNodeInfo& caller = plan_.info(around.caller);
      status = InCall(status, *caller.origin);
      for (const Node* call : caller.calls) status = InCall(status, *call);
    } else if (!info.loop) {
      FramePlace raw{info.name, around.iteration};
      status = InFrames(status, {&raw, 1});
    } else {
      status = InIteration(status, *info.loop, around.iteration);
      for (const Node* call : info.calls) status = InCall(status, *call);
    }
  }
  return status;
}

Status Step::Located(Status status, const IterBlock& block,
                     const std::vector<const Node*>& calls) const {
  return AtPlace(std::move(status), PlaceIn(block), calls);
}

Status Step::BadPredicate(const PlanNodeInfo& info, const Array& pred) const {
  const Node& node = *info.origin;
  Status status = PredicateValue(pred).status();
  if (node.op().flow == Flow::kBranch) {
    status = ChosenRegion(node, pred).status();
  } else if (node.op().flow == Flow::kSwitch) {
    status =
        InvalidArgument(StrCat("[", node.op().name, "] ", status.message()));
  }
  return AtNode(status, node, {&pred, 1});
}

}  // namespace sluice
