#include "sluice/batching/node_batch_context.h"

namespace sluice {

NodeBatchContext::NodeBatchContext(BatchScope& scope, const Node& node)
    : BatchContext(node.op(), node.attrs()), scope_(scope), node_(node) {
  for (const Value& v : node.inputs()) {
    given_.push_back(scope.Find(v));
    in_.push_back(Enter(given_.back().value));
    batched_.push_back(given_.back().batched);
  }
  out_.resize(static_cast<size_t>(node.num_outputs()));
}

Lanes NodeBatchContext::output(int i) const {
  const Output& out = out_[static_cast<size_t>(i)];
  return {ValueOf(out.value), out.batched, out.boxed};
}

int NodeBatchContext::Enter(Value value) {
  table_.push_back(value);
  return static_cast<int>(table_.size()) - 1;
}

RuleVar NodeBatchContext::VarOf(Value value) {
  return value ? VarAt(Enter(value)) : RuleVar();
}

Value NodeBatchContext::ValueOf(RuleVar v) const {
  return v ? table_[static_cast<size_t>(IdOf(v))] : Value();
}

RuleVar NodeBatchContext::full(int i) { return VarOf(scope_.Full(given(i))); }

RuleVar NodeBatchContext::together(int i) {
  return VarOf(scope_.In(LaneForm::kTogether, given(i)));
}

RuleVar NodeBatchContext::join(std::span<const RuleVar> parts) {
  Emitter::Values values;
  for (const RuleVar& part : parts) {
    if (!part) return {};
    values.push_back(ValueOf(part));
  }
  return VarOf(scope_.emit().Join(values));
}

RuleVar NodeBatchContext::times(RuleVar a, RuleVar b) {
  if (!a || !b) return {};
  return VarOf(scope_.emit().Times(ValueOf(a), ValueOf(b)));
}

RuleVar NodeBatchContext::sizes(RuleVar x, int from_axis, int count) {
  if (!x) return {};
  return VarOf(scope_.emit().Sizes(ValueOf(x), from_axis, count));
}

Status NodeBatchContext::Emit(const OpRecord& op, std::span<const int> inputs,
                              const Attrs& attrs, Ids& made) {
  Emitter::Values values;
  for (int id : inputs) values.push_back(table_[static_cast<size_t>(id)]);
  Emitter& emit = scope_.emit();
  Node* node = emit.Add(op.name, values, attrs);
  if (!node) return emit.status();
  for (int i = 0; i < node->num_outputs(); ++i) {
    made.push_back(Enter(node->output(i)));
  }
  return OkStatus();
}

DType NodeBatchContext::TypeOf(int id) const {
  return table_[static_cast<size_t>(id)].dtype();
}

PartialShape NodeBatchContext::ShapeOf(int id) const {
  return table_[static_cast<size_t>(id)].shape();
}

}  // namespace sluice
