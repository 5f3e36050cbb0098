#include "sluice/autodiff/complex_way.h"

#include <unordered_set>
#include <vector>

#include "sluice/autodiff/value_origins.h"
#include "sluice/base/strings.h"
#include "sluice/op/carries_gradient.h"

namespace sluice {

namespace {

using ValueSet = std::unordered_set<Value, ValueHash>;

bool IsComplex(const Value& v) { return v.dtype() == DType::kC64; }

bool AnyComplex(const Region& region) {
  for (Node* node : region.nodes()) {
    for (int i = 0; i < node->num_outputs(); ++i) {
      if (IsComplex(node->output(i))) return true;
    }
    for (const auto& inner : node->regions()) {
      if (AnyComplex(*inner)) return true;
    }
  }
  return false;
}

// What `v` has elements of, as gradients see it.
std::vector<Value> WaysBack(const Value& v, const Region& region) {
  const Node& node = *v.node;
  if (node.is_args()) {
    if (node.region()->Encloses(&region)) return {};
    return OriginsOf(v).values;
  }
  const OpRecord& op = node.op();
  if (op.shape_only) return {};
  std::vector<Value> from = OriginsOf(v).values;
  if (op.flow != Flow::kNone) return from;
  if (op.role == Role::kCustomGradient) {
    // Its results come behind; the user's rule is for the inputs.
    from.resize(static_cast<size_t>(node.attrs().get<int64_t>("num_inputs")));
    return from;
  }
  if (op.grad) return from;
  // Without a rule gradients end, as they were told to where it is a view;
  // those of complex numbers would not, had they rules.
  if (op.view) return {};
  if (!IsComplex(v)) std::erase_if(from, [](Value u) { return !IsComplex(u); });
  return from;
}

}  // namespace

Status CheckNoComplexWay(const Graph& graph, const Region& region,
                         std::span<const Value> ys, std::span<const Value> xs,
                         bool stop_at_xs) {
  if (!AnyComplex(graph.root())) return OkStatus();
  struct Open {
    Value value;
    const Node* became;  // the op nearest to the xs that gave complex numbers
  };
  const ValueSet targets(xs.begin(), xs.end());
  ValueSet seen[2];  // by ways without complex numbers, and with
  std::vector<Open> open;
  auto reach = [&](const Value& v, const Node* became) {
    if (seen[became ? 1 : 0].insert(v).second) open.push_back({v, became});
  };
  for (const Value& y : ys) reach(y, nullptr);
  while (!open.empty()) {
    auto [at, became] = open.back();
    open.pop_back();
    if (targets.count(at)) {
      if (became) {
        return FailedPrecondition(
                   StrCat("[", became->op().name, "] ", at.ToString(),
                          ", whose gradient is asked for, becomes complex "
                          "here, and gradients do not flow through complex "
                          "numbers; wanted real ones, or stop_gradient"))
            .WithLine(NodeLine(*became));
      }
      if (stop_at_xs) continue;
    }
    for (const Value& u : WaysBack(at, region)) {
      if (!IsComplex(u) && !CarriesGradient(u.dtype())) continue;
      bool here = IsComplex(at) && !IsComplex(u) && !at.node->is_args();
      reach(u, here ? at.node : became);
    }
  }
  return OkStatus();
}

}  // namespace sluice
