#include "sluice/passes/known_values.h"

#include "sluice/op/run_op.h"
#include "sluice/op/runs_on.h"

namespace sluice {

namespace {

// Loops are counted by scalars; larger counters are not evaluated.
constexpr int64_t kMaxElementsKnown = 64;
constexpr size_t kMaxNodes = 64;

bool Small(const PartialShape& shape) {
  return shape.fully_known() &&
         shape.ToShape().num_elements() <= kMaxElementsKnown;
}

}  // namespace

Array KnownValues::At(const Value& v) const {
  auto it = values_.find(v);
  if (it != values_.end()) return it->second;
  const Array* constant = ConstantValue(v);
  return constant && Small(constant->shape()) ? *constant : Array();
}

void KnownValues::Visit(const Node& node) {
  const OpRecord& op = node.op();
  if (!op.pure() || !op.regions.empty() || node.num_outputs() != 1 ||
      node.num_inputs() == 0 || !Small(node.output_type(0).shape) ||
      !HasHostCode(op)) {
    return;
  }
  std::vector<Array> inputs;
  for (const Value& v : node.inputs()) {
    inputs.push_back(At(v));
    if (!inputs.back()) return;
  }
  Result<std::vector<Array>> out = RunOp(op, node.attrs(), inputs);
  if (!out.ok()) return;
  values_[Value{const_cast<Node*>(&node), 0}] = out->front();
}

std::vector<Array> KnownValues::Run(const Region& region,
                                    const std::vector<Array>& args) {
  std::vector<Array> results(region.results().size());
  KnownValues known;
  for (int i = 0; i < region.num_args(); ++i) {
    const Array& arg = args[static_cast<size_t>(i)];
    if (arg && Small(arg.shape())) known.values_[region.arg(i)] = arg;
  }
  size_t visited = 0;
  for (const Node* node : region.nodes()) {
    if (++visited > kMaxNodes) break;
    known.Visit(*node);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    results[i] = known.At(region.results()[i]);
  }
  return results;
}

}  // namespace sluice
