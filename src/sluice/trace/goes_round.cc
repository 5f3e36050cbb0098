#include "sluice/trace/goes_round.h"

#include <unordered_map>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/trace/trace_call.h"

namespace sluice::front_internal {

bool TrueAfterOne(const Value& told) {
  if (told.node->is_args() || told.node->op().flow != Flow::kLoop) return false;
  const Region& body = *told.node->regions().back();
  auto index = static_cast<size_t>(told.index);
  if (index >= body.results().size()) return false;
  const Array* known = ConstantValue(body.results()[index]);
  return known && known->dtype() == DType::kBool &&
         known->num_elements() == 1 && *known->data<bool>();
}

Value FirstTest(Capture& capture, const Node& loop) {
  constexpr size_t kMost = 8;  // e.g. i < n
  const Region& test = *loop.regions().front();
  if (loop.regions().size() != 2 || test.results().size() != 1 ||
      test.nodes().size() > kMost) {
    return {};
  }
  std::unordered_map<Value, Value, ValueHash> now;
  for (int i = 0; i < test.num_args(); ++i) {
    if (i < loop.num_inputs()) now[test.arg(i)] = loop.input(i);
  }
  auto here = [&](const Value& v) {
    auto known = now.find(v);
    return known == now.end() ? v : known->second;
  };
  for (Node* node : test.nodes()) {
    if (node->is_args()) continue;
    if (!node->op().pure() || !node->regions().empty() ||
        node->num_outputs() != 1) {
      return {};
    }
    std::vector<Value> inputs;
    for (const Value& in : node->inputs()) {
      inputs.push_back(here(in));
      // An argument of the condition that is not a loop input.
      if (inputs.back().node->region() == &test) return {};
    }
    now[node->output()] =
        TraceNode(capture, node->op().name, std::move(inputs), node->attrs());
  }
  Value first = here(test.results()[0]);
  return first.node->region() == &test ? Value() : first;
}

}  // namespace sluice::front_internal
