// What a step that cannot go on waits for.
#include "sluice/base/strings.h"
#include "sluice/executor/step.h"

namespace sluice {

namespace {
constexpr int kMaxLines = 20;

std::string FrameText(const IterBlock& block) {
  const Frame* frame = block.frame;
  if (!frame) return "";
  std::string here = frame->info->is_call
                         ? StrCat(" in a call")
                         : StrCat(" in iteration ", block.iteration,
                                  " of frame \"", frame->info->name, "\"");
  return here + FrameText(*frame->parent);
}
}  // namespace

void Step::DescribeWaiting(const IterBlock& block, std::string& out,
                           int& shown) const {
  const FrameInfo& frame = *block.info;
  for (uint32_t k = 0; k < frame.num_nodes && shown < kMaxLines; ++k) {
    uint32_t i = frame.first_node + k;
    const PlanNode& node = plan_.nodes()[i];
    const PlanNodeInfo& info = plan_.info(i);
    uint32_t word = block.pending[k].load(std::memory_order_relaxed);
    bool merge = node.kind == NodeKind::kMerge;
    if (merge && (word & kMergeFired)) continue;
    uint32_t pending = word & ~(1u << 31);
    if (!merge && pending == 0) continue;
    std::string name =
        info.node ? StrCat(info.node->op().name, " \"", info.node->name(), "\"")
                  : StrCat("island ", i);
    StrAppend(out, shown++ ? "\n" : "", name, FrameText(block), " waits for ");
    if (merge) {
      StrAppend(out, "the first of its inputs");
    } else {
      StrAppend(out, pending, " of its inputs");
    }
    if (!info.node || merge || node.kind == NodeKind::kNative) continue;
    int offset = node.kind == NodeKind::kCall ? 1 : 0;
    for (uint32_t s = 0; s < node.num_inputs; ++s) {
      int input = static_cast<int>(s) + offset;
      if (input >= info.node->num_inputs()) break;
      if (!block.slots[node.first_slot + s]) {
        StrAppend(out, "; \"", info.node->input(input).ToString(), "\"");
      }
    }
  }
}

std::string Step::WhyWaiting() const {
  std::string out;
  int shown = 0;
  DescribeWaiting(root_, out, shown);
  for (const auto& frame : all_frames_) {
    if (!frame->active) continue;
    for (int64_t i = frame->first; i < frame->next; ++i) {
      DescribeWaiting(*frame->at(i), out, shown);
    }
  }
  return out;
}

}  // namespace sluice
