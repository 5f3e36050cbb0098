#include "sluice/plan/plan.h"

#include "sluice/base/strings.h"

namespace sluice {

Plan::Plan() = default;
Plan::~Plan() { delete kept_.load(); }

void Plan::ObserveCost(uint32_t node, float nanos) const {
  // An old estimate fades with weight 1/8; a lost update between two threads
  // costs one sample.
  float old = costs_[node].load(std::memory_order_relaxed);
  costs_[node].store(old + (nanos - old) * 0.125f, std::memory_order_relaxed);
}

KeptWithPlan& Plan::Kept(std::unique_ptr<KeptWithPlan> (*make)()) const {
  KeptWithPlan* kept = kept_.load(std::memory_order_acquire);
  if (kept) return *kept;
  std::unique_ptr<KeptWithPlan> made = make();
  if (kept_.compare_exchange_strong(kept, made.get(),
                                    std::memory_order_acq_rel)) {
    return *made.release();
  }
  return *kept;  // another thread was first
}

std::string Plan::Explain() const {
  int islands = 0, inside = 0;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].kind == NodeKind::kIsland) {
      ++islands;
      inside += infos_[i].piece->num_nodes();
    }
  }
  size_t presets = 0;
  for (const FrameInfo& frame : frames_) presets += frame.presets.size();
  std::string out =
      StrCat("plan of graph \"", graph_->name(), "\": ", islands, " island",
             islands == 1 ? "" : "s", " with ", inside, " nodes, ",
             nodes_.size() - static_cast<size_t>(islands), " single nodes, ",
             presets, " constant operands\n");
  constexpr size_t kMaxLines = 200;
  for (size_t i = 1; i < frames_.size() && i < kMaxLines; ++i) {
    const FrameInfo& frame = frames_[i];
    if (frame.is_call) {
      StrAppend(out, "  function of ", frame.num_nodes, " nodes on tokens\n");
      continue;
    }
    StrAppend(out, "  frame \"", frame.name, "\" on tokens: ", frame.num_nodes,
              " nodes, ", frame.constants.size(), " constants, at most ",
              frame.window, " iterations at once",
              frame.why.empty() ? "" : "; ", frame.why, "\n");
  }
  for (size_t i = 0; i < infos_.size() && i < kMaxLines; ++i) {
    const PlanNodeInfo& info = infos_[i];
    std::string on =
        devices_.size() > 1
            ? StrCat(" on ", devices_[nodes_[i].device]->name_text())
            : "";
    if (nodes_[i].kind == NodeKind::kIsland) {
      StrAppend(out, "  island ", i, on, ": ", info.piece->num_nodes(),
                " nodes in ", info.piece->num_instructions(), " instructions\n",
                info.piece->Explain());
    } else if (info.piece) {
      StrAppend(out, "  bytecode ", info.node->op().name, " \"",
                info.node->name(), "\"\n", info.piece->Explain());
    } else {
      StrAppend(out, "  node ", info.node->op().name, " \"", info.node->name(),
                "\"", on, ": ",
                info.why_alone.empty() ? "tokens" : info.why_alone, "\n");
    }
  }
  if (infos_.size() > kMaxLines) {
    StrAppend(out, "  ... ", infos_.size() - kMaxLines, " more\n");
  }
  for (size_t i = 0; i < effects_.size() && i < kMaxLines; ++i) {
    StrAppend(out, "  order on ", effects_[i].resource, ": \"",
              effects_[i].before->name(), "\" before \"",
              effects_[i].after->name(), "\"\n");
  }
  return out;
}

}  // namespace sluice
