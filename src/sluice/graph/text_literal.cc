#include "sluice/graph/text_literal.h"

#include "sluice/graph/text_values.h"

namespace sluice {

namespace {

// The declared type of operand i of n; a list takes all inputs that the
// declared inputs after it do not need.
std::string_view OperandType(const OpRecord& op, size_t i, size_t n) {
  size_t next = 0;
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    size_t after = op.inputs.size() - k - 1;
    size_t count = 1;
    if (op.inputs[k].list) count = n > next + after ? n - next - after : 0;
    if (i < next + count) return op.inputs[k].type;
    next += count;
  }
  return "any";
}

}  // namespace

DType LiteralDType(const OpRecord& op, const Attrs& attrs,
                   const std::vector<TextOperand>& operands, size_t i) {
  std::string_view type = OperandType(op, i, operands.size());
  DType fixed = DTypeFromName(type);
  if (fixed != DType::kInvalid) return fixed;
  const AttrValue* attr = attrs.find(type);
  if (attr && attr->kind() == AttrKind::kDType) return attr->get<DType>();
  DType natural = NaturalDType(operands[i].word);
  const TypeVar* variable = op.FindType(type);
  if (!variable) return natural;
  bool floats = natural == DType::kI32 && !variable->allowed.contains(natural);
  for (size_t k = 0; k < operands.size(); ++k) {
    if (OperandType(op, k, operands.size()) != type) continue;
    if (operands[k].word.kind == TextToken::kValue) {
      return operands[k].value.dtype();
    }
    // Literals only: in Add(1, 0.5) both are floats.
    floats = floats || NaturalDType(operands[k].word) == DType::kF32;
  }
  return floats && natural == DType::kI32 ? DType::kF32 : natural;
}

}  // namespace sluice
