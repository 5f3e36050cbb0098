// Reports missing values at the end of a step: dead results, waiting nodes.
#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/graph/traverse.h"
#include "sluice/step/async_op.h"
#include "sluice/step/death_search.h"
#include "sluice/step/step_local.h"

namespace sluice {

std::string Step::PlaceOf(const IterBlock& block) const {
  std::vector<FramePlace> places;
  for (const IterBlock* at = &block; at->frame; at = at->frame->parent) {
    const FrameInfo& info = *at->frame->info;
    places.push_back({info.is_call ? "call" : info.name, at->iteration});
  }
  return PlaceText(places);
}

void Step::AddWaiting(const IterBlock& block,
                      std::vector<WaitingNode>& out) const {
  const FrameInfo& frame = *block.info;
  for (uint32_t k = 0; k < frame.num_nodes; ++k) {
    uint32_t id = frame.first_node + k;
    const PlanNode& node = plan_.nodes()[id];
    const PlanNodeInfo& info = plan_.info(id);
    uint32_t word = block.pending[k].load(std::memory_order_relaxed);
    bool merge = node.kind == NodeKind::kMerge;
    bool fired = node.kind == NodeKind::kSwitch && (word & kDecided);
    fired = fired || (merge && (word & kMergeFired));
    uint32_t missing = merge ? word & kMergeControls : word & ~kDeadBit;
    if (fired || (!merge && missing == 0)) continue;
    WaitingNode waiting;
    waiting.node = info.node;
    if (info.piece) waiting.node = &info.piece->node();
    waiting.place = PlaceOf(block);
    bool plain = !info.piece && !merge;
    int offset = node.kind == NodeKind::kCall ? 1 : 0;
    for (uint32_t s = 0; plain && s < node.num_inputs && missing; ++s) {
      int input = static_cast<int>(s) + offset;
      if (input >= info.node->num_inputs()) break;
      if (block.slots[node.first_slot + s]) continue;
      waiting.missing.push_back(
          StrCat(info.node->op().InputName(input), " = \"",
                 info.node->input(input).ToString(), "\""));
      --missing;
    }
    if (merge && !(word & kMergeTaken)) {
      waiting.missing.push_back("a live input");
    }
    if (missing) waiting.missing.push_back(StrCat(missing, " more"));
    out.push_back(std::move(waiting));
  }
}

std::vector<WaitingNode> Step::Waiting() const {
  std::vector<WaitingNode> out;
  AddWaiting(root_, out);
  for (const auto& frame : all_frames_) {
    if (!frame->active) continue;
    for (int64_t i = frame->first; i < frame->next; ++i) {
      AddWaiting(*frame->at(i), out);
    }
  }
  return out;
}

std::string Step::WhyWaiting() const {
  constexpr size_t kShown = 20;
  std::string out;
  std::vector<WaitingNode> waiting = Waiting();
  for (size_t i = 0; i < waiting.size() && i < kShown; ++i) {
    const WaitingNode& w = waiting[i];
    StrAppend(out, i ? "\n" : "", w.node->op().name, " \"", w.node->name(),
              "\"", w.place.empty() ? "" : " in ", w.place, " waits for ");
    for (size_t k = 0; k < w.missing.size(); ++k) {
      StrAppend(out, k ? ", " : "", w.missing[k]);
    }
  }
  if (waiting.size() > kShown) {
    StrAppend(out, "\nand ", waiting.size() - kShown, " more wait");
  }
  return out;
}

// What the step was doing when its deadline passed: kernels that have not
// completed, then nodes that wait.
void Step::NoteDeadline() {
  if (std::exchange(deadline_noted_, true)) return;
  if (cancellation_->status().code() != Code::kDeadlineExceeded) return;
  constexpr int kShown = 8;
  {
    MutexLock lock(mu_);
    int shown = 0;
    for (const AsyncOp* op = in_flight_; op && shown < kShown; op = op->later) {
      const Node& node = *plan_.info(op->token.node).origin;
      std::string place = PlaceOf(*op->token.block);
      StrAppend(doing_, shown++ ? "\n" : "", node.op().name, " \"", node.name(),
                "\"", place.empty() ? "" : " in ", place,
                " had not completed  ", NodeLine(node));
    }
  }
  // Other threads may be working: their data cannot be accessed.
  if (shared_) return;
  std::string waiting = WhyWaiting();
  if (!waiting.empty()) {
    StrAppend(doing_, doing_.empty() ? "" : "\n", waiting);
  }
}

void Step::NoteMissing() {
  missing_.clear();
  if (std::all_of(results_.begin(), results_.end(),
                  [](const Array& a) { return static_cast<bool>(a); })) {
    return;
  }
  const Graph& graph = plan_.flat_graph();
  std::vector<WaitingNode> waiting;
  std::unordered_map<const Node*, uint32_t> switches;
  for (size_t i = 0; i < results_.size(); ++i) {
    if (results_[i]) continue;
    if (missing_.empty()) {
      missing_.resize(results_.size());
      waiting = Waiting();
      for (uint32_t id = 0; id < plan_.nodes().size(); ++id) {
        if (plan_.nodes()[id].kind == NodeKind::kSwitch) {
          switches[plan_.info(id).node] = id;
        }
      }
    }
    const Value& fetch = plan_.graph().root().results()[i];
    std::string name = StrCat("fetch \"", fetch.ToString(), "\"");
    if (!dead_results_[i]) {
      missing_[i] = CannotGoOn(name, waiting);
      continue;
    }
    std::optional<Death> death =
        FindDeath(graph.root(), graph.root().results()[i],
                  [&](const Node& decider) -> std::optional<Decision> {
                    auto it = switches.find(&plan_.SourceOf(decider));
                    if (it == switches.end()) return std::nullopt;
                    return DecisionOf(it->second);
                  });
    if (death) {
      death->decider = &plan_.SourceOf(*death->decider);
      missing_[i] = DeadFetch(fetch, *death);
    } else {
      missing_[i] = InvalidArgument(
          StrCat(name,
                 " is dead: its node did not run; wanted a value that is "
                 "computed whatever the predicates say"));
    }
  }
}

std::optional<Decision> Step::DecisionOf(uint32_t id) const {
  if (plan_.info(id).frame != 0) {
    auto it = last_decisions_.find(id);
    if (it == last_decisions_.end()) return std::nullopt;
    return it->second;
  }
  uint32_t word =
      root_.pending[id - root_.first_node].load(std::memory_order_relaxed);
  if (!(word & kDecided)) return std::nullopt;
  return Decision{(word & kDecidedTrue) != 0, ""};
}

// If a loop ends without a value for an Exit, the decisions of its last
// iteration explain why.
void Step::KeepDecisions(const Frame& frame, const IterBlock& last) {
  std::string place = PlaceOf(last);
  for (uint32_t k = 0; k < frame.info->num_nodes; ++k) {
    uint32_t id = frame.info->first_node + k;
    if (plan_.nodes()[id].kind != NodeKind::kSwitch) continue;
    uint32_t word = last.pending[k].load(std::memory_order_relaxed);
    if (!(word & kDecided)) continue;
    MutexLock lock(mu_);
    last_decisions_[id] = {(word & kDecidedTrue) != 0, place};
  }
}

}  // namespace sluice
