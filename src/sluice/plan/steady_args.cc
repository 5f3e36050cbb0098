#include "sluice/plan/steady_args.h"

#include <unordered_set>

#include "sluice/graph/node.h"
#include "sluice/op/steady_inputs.h"

namespace sluice {

namespace {

bool MayBePlaces(DType dtype) {
  return kIndices.contains(dtype) || dtype == DType::kBool;
}

// Values computed from `v` may be views of it.
bool Search(const Value& v, std::unordered_set<Value, ValueHash>& seen) {
  std::vector<Value> open{v};
  while (!open.empty()) {
    Value from = open.back();
    open.pop_back();
    if (!seen.insert(from).second) continue;
    for (Node* user : from.node->users()) {
      const OpRecord& op = user->op();
      if (op.block || op.shape_only) continue;
      bool reads = false;
      for (int i = 0; i < user->num_inputs(); ++i) {
        if (!(user->input(i) == from)) continue;
        reads = true;
        if (ReadsAsPlaces(op, static_cast<size_t>(i),
                          static_cast<size_t>(user->num_inputs()))) {
          return true;
        }
      }
      if (!reads) continue;
      // Stored or carried in ways that are not followed here.
      if (op.flow != Flow::kNone || op.effect != Effect::kNone || op.stateful ||
          op.async() || !user->regions().empty()) {
        return true;
      }
      for (int i = 0; i < user->num_outputs(); ++i) {
        if (user->output_type(i).dtype == DType::kList) return true;
      }
      if (op.view || op.cpu().in_place) open.push_back(user->output(0));
    }
  }
  return false;
}

}  // namespace

std::vector<bool> ArgsReadAsPlaces(const Graph& graph) {
  const Region& root = graph.root();
  std::vector<bool> places(static_cast<size_t>(root.num_args()));
  std::unordered_set<Value, ValueHash> seen;
  for (int i = 0; i < root.num_args(); ++i) {
    Value arg = root.arg(i);
    if (!MayBePlaces(arg.dtype())) continue;
    seen.clear();
    places[static_cast<size_t>(i)] = Search(arg, seen);
  }
  return places;
}

}  // namespace sluice
