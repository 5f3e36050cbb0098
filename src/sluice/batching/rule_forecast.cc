#include "sluice/batching/rule_forecast.h"

#include "sluice/op/batch_rules.h"

namespace sluice {

namespace {

// The declared argument that an input or output belongs to: a starred one is
// the last.
bool DeclaredList(const std::vector<ArgSpec>& declared, int i) {
  if (declared.empty()) return false;
  size_t k = std::min(static_cast<size_t>(i), declared.size() - 1);
  return declared[k].type == DTypeName(DType::kList);
}

bool DeclaresLists(const std::vector<ArgSpec>& declared) {
  for (size_t i = 0; i < declared.size(); ++i) {
    if (DeclaredList(declared, static_cast<int>(i))) return true;
  }
  return false;
}

}  // namespace

bool TakesOrGivesLists(const Node& node) {
  for (const Value& v : node.inputs()) {
    if (IsList(v)) return true;
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (node.output_type(i).dtype == DType::kList) return true;
  }
  return false;
}

RuleForecast::RuleForecast(const Node& node, const FormOf& form,
                           const CanHave& can)
    : BatchContext(node.op(), node.attrs()), node_(node) {
  BatchFn rule = BatchRuleOf(node.op());
  if (!rule || !Askable(form)) return;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Value& v = node.input(i);
    LaneForm is = form(v);
    in_.push_back(i);
    batched_.push_back(is != LaneForm::kSingle);
    can_have_.push_back(is != LaneForm::kSingle || !IsList(v) || can(v));
  }
  out_.resize(static_cast<size_t>(node.num_outputs()));
  serves_ = true;
  serves_ = rule(*this) && serves_;
}

// The rule of a list op is for elements with lanes. An element that is a list
// itself has none, because lanes could have lists of different lengths there.
// The rule of an op that takes anything (Identity) is for tensors.
bool RuleForecast::Askable(const FormOf& form) {
  if (!TakesOrGivesLists(node_)) return true;
  const OpRecord& op = node_.op();
  if (!DeclaresLists(op.inputs) && !DeclaresLists(op.outputs)) return false;
  for (int i = 0; i < node_.num_inputs(); ++i) {
    const Value& v = node_.input(i);
    if (!IsList(v)) continue;
    if (!DeclaredList(op.inputs, i)) return false;
    if (form(v) == LaneForm::kBoxed) return false;
  }
  for (int i = 0; i < node_.num_outputs(); ++i) {
    if (node_.output_type(i).dtype != DType::kList) continue;
    if (!DeclaredList(op.outputs, i)) return false;
  }
  return true;
}

RuleVar RuleForecast::full(int i) { return VarAt(i); }

RuleVar RuleForecast::together(int i) {
  if (!can_have_[static_cast<size_t>(i)]) serves_ = false;
  return VarAt(i);
}

Status RuleForecast::Emit(const OpRecord& op, std::span<const int>,
                          const Attrs&, Ids& made) {
  size_t outputs = &op == &node_.op() ? static_cast<size_t>(node_.num_outputs())
                                      : op.outputs.size();
  for (size_t i = 0; i < outputs; ++i) made.push_back(num_inputs());
  return OkStatus();
}

DType RuleForecast::TypeOf(int id) const {
  return id < num_inputs() ? node_.input(id).dtype() : DType::kInvalid;
}

}  // namespace sluice
