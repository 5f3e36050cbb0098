#include "sluice/trace/seen_by_code.h"

#include <unordered_set>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/graph/traverse.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/op/custom_gradient.h"

namespace sluice::front_internal {

namespace {

bool IsSeeing(const Node& node) {
  if (node.op().role != Role::kCustomGradient) return false;
  return SeesFlow(node.attrs().get<Array>("function").data<int64_t>()[0]);
}

// Follows results of regions back to the values they depend on inside.
class Inside {
 public:
  explicit Inside(const Node& node) : top_(node) {}

  bool Sees(const Value& result) {
    AddResults(*result.node, result.index);
    while (!open_.empty()) {
      Value v = open_.back();
      open_.pop_back();
      const Node& node = *v.node;
      if (IsSeeing(node)) return true;
      if (node.is_args()) {
        // The argument of an iteration is a result of the one before.
        const Node* owner = node.region()->owner();
        if (owner && owner->op().flow == Flow::kLoop) {
          AddResults(*owner, v.index);
        }
      } else if (node.op().flow != Flow::kNone) {
        AddResults(node, v.index);
      } else if (node.op().grad) {
        for (const Value& in : node.inputs()) Add(in);
      }
    }
    return false;
  }

 private:
  void Add(const Value& v) {
    if (!CarriesGradient(v.dtype()) || !InTop(*v.node)) return;
    if (seen_.insert(v).second) open_.push_back(v);
  }
  bool InTop(const Node& node) const {
    for (const Region* r = node.region(); r; r = r->parent()) {
      if (r->owner() == &top_) return true;
    }
    return called_.count(node.region()) > 0;
  }
  void AddResults(const Node& node, int i) {
    const Node* owner = &node;
    if (node.op().flow == Flow::kCall) {
      owner = node.input(0).node;
      for (const auto& region : owner->regions()) called_.insert(region.get());
    }
    for (const auto& region : owner->regions()) {
      auto k = static_cast<size_t>(i);
      if (k < region->results().size()) Add(region->results()[k]);
    }
  }

  const Node& top_;
  std::unordered_set<const Region*> called_;
  std::unordered_set<Value, ValueHash> seen_;
  std::vector<Value> open_;
};

// Whether a value depends on another within the open region.
bool MadeOf(const Value& value, const Value& other, const Region& region) {
  std::vector<Value> open{value};
  std::unordered_set<Value, ValueHash> seen{value};
  while (!open.empty()) {
    Value v = open.back();
    open.pop_back();
    if (v == other) return true;
    const Node& node = *v.node;
    if (node.is_args() || node.region() != &region) continue;
    if (node.op().flow == Flow::kNone && !node.op().grad) continue;
    for (const Value& in : InputsWithCaptures(node)) {
      if (CarriesGradient(in.dtype()) && seen.insert(in).second) {
        open.push_back(in);
      }
    }
  }
  return false;
}

}  // namespace

bool SeenByCode(const Value& value) {
  const Node& node = *value.node;
  if (node.is_args()) return false;
  if (node.op().flow == Flow::kNone) return IsSeeing(node);
  return Inside(node).Sees(value);
}

std::vector<std::vector<bool>> SeenInLoop(const Node& loop) {
  const Region& body = *loop.regions().back();
  std::vector<std::vector<bool>> seen;
  for (const Node* node : body.nodes()) {
    for (int i = 0; i < node->num_outputs(); ++i) {
      Value out{const_cast<Node*>(node), i};
      if (!SeenByCode(out)) continue;
      seen.emplace_back();
      for (const Value& result : body.results()) {
        seen.back().push_back(MadeOf(result, out, body));
      }
    }
  }
  return seen;
}

}  // namespace sluice::front_internal
