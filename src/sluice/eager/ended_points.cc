#include "sluice/eager/ended_points.h"

#include <string_view>
#include <unordered_set>
#include <vector>

namespace sluice::front_internal {

namespace {

constexpr std::string_view kMark = "a point of a derivative";

}  // namespace

void EndPoint(EagerValue& leaf) { leaf.extras().name = kMark; }

bool IsEndedPoint(const EagerValue& leaf) {
  return leaf.extra && leaf.extra->name == kMark;
}

bool LeadsToLeaf(const TapeNode& node) {
  std::vector<const TapeNode*> open{&node};
  std::unordered_set<const TapeNode*> seen(open.begin(), open.end());
  while (!open.empty()) {
    const TapeNode* next = open.back();
    open.pop_back();
    if (next->outside()) return true;
    for (const TapeEdge& edge : next->edges) {
      if (edge.leaf && !IsEndedPoint(*edge.leaf)) return true;
      if (edge.node && seen.insert(edge.node.get()).second) {
        open.push_back(edge.node.get());
      }
    }
  }
  return false;
}

}  // namespace sluice::front_internal
