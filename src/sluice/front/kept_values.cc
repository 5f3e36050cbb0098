#include "sluice/front/kept_values.h"

#include "sluice/base/strings.h"
#include "sluice/front/graph_tape.h"

namespace sluice::front_internal {

std::string OverwrittenText(const std::string& before, const std::string& type,
                            const WriteLog& log, const std::string& after) {
  return StrCat(
      before, " (", type,
      ") is needed for the gradient, but was overwritten in place at ",
      log.last.ToString(), after);
}

std::vector<KeptValue> KeptFor(
    const EagerValue& value,
    const std::unordered_map<const WriteLog*, size_t>& logs) {
  std::vector<KeptValue> kept;
  if (!value.producer) return kept;
  std::vector<const TapeNode*> open{value.producer.get()};
  std::unordered_set<const TapeNode*> seen(open.begin(), open.end());
  while (!open.empty()) {
    const TapeNode* node = open.back();
    open.pop_back();
    for (const TapeEdge& edge : node->edges) {
      if (edge.node && seen.insert(edge.node.get()).second) {
        open.push_back(edge.node.get());
      }
    }
    if (auto* call = dynamic_cast<const GraphTapeNode*>(node)) {
      call->AddKept(logs, kept);
    }
  }
  return kept;
}

}  // namespace sluice::front_internal
