// Capture: the end of a recorded backward run.
#include <algorithm>
#include <optional>

#include "sluice/base/strings.h"
#include "sluice/eager/rows.h"
#include "sluice/eager/scope.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/grad_arrivals.h"
#include "sluice/trace/graph_tape.h"
#include "sluice/trace/inside_vmap.h"
#include "sluice/trace/rows_on_ways.h"

namespace sluice {

namespace {

FlowWhen OfLeaf(const Reach& reach, const EagerValue& leaf) {
  FlowWhen when;
  for (const Reached& to : reach) {
    if (to.key.leaf != &leaf) continue;
    if (to.when) when.any.push_back(to.when);
    when.always = when.always || !to.when;
  }
  return when;
}

void Forget(const Node& node, std::unordered_set<int>& calls) {
  calls.erase(node.id());
  for (const auto& region : node.regions()) {
    for (const Node* inner : region->nodes()) Forget(*inner, calls);
  }
}

}  // namespace

void Capture::ForgetCalls(const Node& node) {
  Forget(node, calls_);
  if (node.op().flow == Flow::kCall) Forget(*node.input(0).node, calls_);
}

bool Capture::LeadsOutside(const TapeNode& node,
                           const EagerValue& inside) const {
  auto* before = dynamic_cast<const OutsideTapeNode*>(&node);
  if (!before || inside.traced->entry < 0) return false;
  auto entry = static_cast<size_t>(inside.traced->entry);
  return before->LeadsTo(*entries_[entry].value);
}

bool Capture::HistoryIsOver(const TapeNode& outside) {
  auto* node = dynamic_cast<const OutsideTapeNode*>(&outside);
  if (!node || !node->before) return false;
  bool over = false;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].value->producer != node->before) continue;
    over = HistorySeen::IsOver(*entries_[i].value);
    bool known =
        std::any_of(histories_seen_.begin(), histories_seen_.end(),
                    [i](const HistorySeen& seen) { return seen.entry == i; });
    if (!known) histories_seen_.push_back({i, over});
  }
  return over;
}

Reach Capture::ReachOfAll(std::span<const EagerRef> roots) {
  Reach all;
  if (front_internal::InsideVmap()) return all;
  for (const EagerRef& y : roots) {
    if (!y->traced || y->traced->recording != this) continue;
    for (const Reached& to : ReachOf(*y, 0)) {
      // The destinations beyond calls of other kinds are unknown.
      if (to.key.node && !to.key.node->outside()) return {};
      all.push_back(to);
    }
  }
  return all;
}

Status Capture::AddToGrad(EagerValue& leaf, EagerRef gradient, bool record) {
  if (EagerRef before = GradOf(leaf)) {
    SL_ASSIGN_OR_RETURN(gradient,
                        AddGradients(before, std::move(gradient), record));
  } else if (!gradient->rows) {
    // A separate tensor: others may have the same gradient.
    gradient = Make(Now(*gradient), gradient->line, EdgeTo(*gradient),
                    gradient->traced->tainted);
  }
  SetGrad(EagerRef::Share(&leaf), std::move(gradient));
  return OkStatus();
}

namespace {

// A gradient that is dense in the graph may be sparse rows on the path taken.
Status CheckRows(Graph& graph, const EagerValue& leaf, const Value& arg) {
  if (front_internal::InsideVmap()) return OkStatus();
  std::optional<MutexLock> lock;
  if (front_internal::Building::Current().locked != &graph) {
    lock.emplace(graph.mu());
  }
  if (!front_internal::RowsOnSomeWays(graph, arg)) return OkStatus();
  return Unimplemented(StrCat(
      "backward: whether the gradient of ", leaf.Describe(),
      ", is sparse depends on the branch taken, which a captured function does "
      "not know while it is recorded; wanted rows alone, or none, on every "
      "way"));
}

}  // namespace

Status Capture::AddToGrads(std::span<const EagerRef> roots,
                           std::span<LeafGradient> found, bool record) {
  Reach reach = ReachOfAll(roots);
  for (auto& [leaf, gradient] : found) {
    if (!gradient->rows && leaf->traced->entry >= 0) {
      SL_RETURN_IF_ERROR(
          CheckRows(graph_, *leaf,
                    entries_[static_cast<size_t>(leaf->traced->entry)].arg));
    }
    Value there;
    if (!reach.empty()) {
      FlowWhen when = OfLeaf(reach, *leaf);
      // No path reaches it: the incoming gradients are zeros of unused results.
      if (!when.always && when.any.empty()) continue;
      if (when.open() && leaf->extra && !leaf->extra->hooks.empty()) {
        GradArrivals::RequireMet(*this, when, leaf->line, "the hook of a leaf");
      }
      Value before = GradWhen(*leaf);
      if (before) when.any.push_back(before);
      if (when.open() && (before || !GradOf(*leaf))) there = AnyOf(when);
    }
    SL_RETURN_IF_ERROR(AddToGrad(*leaf, std::move(gradient), record));
    if (there) SetGradWhen(*leaf, there);
  }
  return OkStatus();
}

}  // namespace sluice
