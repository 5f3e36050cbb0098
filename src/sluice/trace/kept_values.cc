#include "sluice/trace/kept_values.h"

#include <functional>

#include "sluice/base/strings.h"
#include "sluice/trace/graph_tape.h"

namespace sluice::front_internal {

std::string OverwrittenText(const std::string& before, const std::string& type,
                            const WriteLog& log, const std::string& after) {
  return StrCat(
      before, " (", type,
      ") is needed for the gradient, but was overwritten in place at ",
      log.last.ToString(), after);
}

namespace {

// `since`: only calls recorded since `since` values had been made.
std::vector<KeptValue> Find(
    const EagerValue& value, uint64_t since,
    const std::function<bool(const WriteLog*)>& wanted) {
  std::vector<KeptValue> kept;
  if (!value.producer) return kept;
  std::vector<const TapeNode*> open{value.producer.get()};
  std::unordered_set<const TapeNode*> seen(open.begin(), open.end());
  while (!open.empty()) {
    const TapeNode* node = open.back();
    open.pop_back();
    auto* call = dynamic_cast<const GraphTapeNode*>(node);
    if (since > 0 && (!call || call->made_at() < since)) continue;
    for (const TapeEdge& edge : node->edges) {
      if (edge.node && seen.insert(edge.node.get()).second) {
        open.push_back(edge.node.get());
      }
    }
    // backward() does not visit a dropped call again.
    if (call && !call->dropped()) call->AddKept(wanted, kept);
  }
  return kept;
}

}  // namespace

std::vector<KeptValue> KeptFor(
    const EagerValue& value,
    const std::unordered_map<const WriteLog*, size_t>& logs) {
  return Find(value, 0, [&](const WriteLog* log) { return logs.count(log); });
}

std::vector<KeptValue> KeptSince(
    const EagerValue& value, uint64_t since,
    const std::unordered_set<const WriteLog*>& own) {
  return Find(value, since,
              [&](const WriteLog* log) { return !own.count(log); });
}

}  // namespace sluice::front_internal
