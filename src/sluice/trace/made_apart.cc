#include "sluice/trace/made_apart.h"

#include <algorithm>
#include <unordered_set>

#include "sluice/eager/tape.h"

namespace sluice::front_internal {

namespace {

using Nodes = std::unordered_set<const TapeNode*>;

Nodes NodesBehind(const EagerValue& value) {
  if (!value.producer) return {};
  std::vector<const TapeNode*> open{value.producer.get()};
  Nodes seen(open.begin(), open.end());
  while (!open.empty()) {
    const TapeNode* node = open.back();
    open.pop_back();
    for (const TapeEdge& edge : node->edges) {
      // A call made before the recording is used up separately.
      if (edge.node && !edge.node->outside() &&
          seen.insert(edge.node.get()).second) {
        open.push_back(edge.node.get());
      }
    }
  }
  return seen;
}

}  // namespace

std::vector<std::vector<bool>> MadeApart(
    size_t count, const std::vector<std::pair<size_t, EagerRef>>& values) {
  constexpr size_t kMost = 32;
  if (values.size() < 2 || values.size() > kMost) return {};
  std::vector<Nodes> behind;
  for (const auto& [place, value] : values) {
    behind.push_back(NodesBehind(*value));
  }
  std::vector<std::vector<bool>> apart(count, std::vector<bool>(count));
  bool some = false;
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t k = 0; k < values.size(); ++k) {
      const Nodes& others = behind[k];
      bool none = i != k && std::none_of(behind[i].begin(), behind[i].end(),
                                         [&](const TapeNode* node) {
                                           return others.contains(node);
                                         });
      apart[values[i].first][values[k].first] = none;
      some = some || none;
    }
  }
  if (!some) return {};
  return apart;
}

}  // namespace sluice::front_internal
