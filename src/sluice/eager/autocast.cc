#include "sluice/eager/autocast.h"

#include <string_view>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/registry.h"

namespace sluice {

namespace {

thread_local DType current = DType::kInvalid;

bool IsCast(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16;
}

Tensor Cast(const Tensor& tensor, DType to, std::source_location where) {
  Operand operands[] = {tensor};
  return front_internal::CallOne("Cast", operands, {{"dtype", to}}, {}, where);
}

}  // namespace

Autocast::Autocast(DType dtype, bool enabled) : saved_(current) {
  if (dtype != DType::kBF16 && dtype != DType::kF16) {
    throw Error(InvalidArgument(StrCat(
        "Autocast: the type is ", DTypeName(dtype), "; wanted bf16 or f16")));
  }
  current = enabled ? dtype : DType::kInvalid;
}
Autocast::~Autocast() { current = saved_; }

DType autocast_type() { return current; }

namespace front_internal {

DType ExchangeAutocast(DType dtype) { return std::exchange(current, dtype); }

DType AutocastOperand(const OpRecord& op, size_t i, DType operand,
                      DType first) {
  if (!IsCast(operand)) return operand;
  switch (AutocastRuleOf(op.name)) {
    case AutocastRule::kAsGiven:
      return operand;
    case AutocastRule::kLow:
      return current;
    case AutocastRule::kF32:
      return DType::kF32;
    case AutocastRule::kFirst: {
      bool alike =
          i < op.inputs.size() && op.inputs[i].type == op.inputs[0].type;
      return alike && IsCast(first) ? first : operand;
    }
  }
  return operand;
}

std::vector<Operand> AutocastOperands(std::string_view name,
                                      std::span<const Operand> inputs,
                                      std::source_location where) {
  std::vector<Operand> made;
  const OpRecord* op = FindOp(name);
  if (!op || inputs.empty() || !inputs[0].is_tensor()) return made;
  if (!inputs[0].tensor().defined()) return made;
  DType first = inputs[0].tensor().dtype();
  bool changed = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Operand& in = inputs[i];
    made.push_back(in);
    if (!in.is_tensor() || !in.tensor().defined()) continue;
    DType own = in.tensor().dtype();
    DType to = AutocastOperand(*op, i, own, first);
    if (to == own) continue;
    made.back() = Operand(Cast(in.tensor(), to, where));
    changed = true;
  }
  if (!changed) made.clear();
  return made;
}

Tensor Lowered(const Tensor& tensor, std::source_location where) {
  if (current == DType::kInvalid || !tensor.defined()) return tensor;
  if (!IsCast(tensor.dtype()) || tensor.dtype() == current) return tensor;
  return Cast(tensor, current, where);
}

}  // namespace front_internal
}  // namespace sluice
