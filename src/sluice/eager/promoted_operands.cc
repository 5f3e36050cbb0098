#include "sluice/eager/promoted_operands.h"

#include "sluice/eager/call.h"
#include "sluice/eager/promote.h"

namespace sluice::front_internal {

namespace {

// What takes part: numbers. A tensor that holds nothing the op refuses itself.
DType NumberType(const Operand& operand) {
  if (!operand.is_tensor()) {
    return operand.literal_value().value() ? operand.literal_value().dtype()
                                           : DType::kInvalid;
  }
  return operand.tensor().defined() ? operand.tensor().dtype()
                                    : DType::kInvalid;
}

bool IsWeak(const Operand& operand) {
  return !operand.is_tensor() && !operand.literal_value().own_type();
}

bool IsScalar(const Operand& operand) {
  return operand.is_tensor() ? operand.tensor().rank() == 0
                             : operand.literal_value().value().rank() == 0;
}

// Whether a number of the program goes into that type as it is.
bool Holds(const Operand& operand, DType dtype) {
  return !IsWeak(operand) || operand.literal_value().As(dtype).ok();
}

Operand Converted(const Operand& operand, DType dtype,
                  std::source_location where) {
  if (NumberType(operand) == dtype) return operand;
  if (IsWeak(operand)) return Typed("Cast", operand, dtype);
  return CallOne("Cast", {&operand, 1}, {{"dtype", dtype}}, {}, where);
}

// The type of all operands that are declared with that variable.
DType TypeOf(const OpRecord& op, const std::string& variable,
             std::span<const Operand> operands) {
  CommonType common;
  for (size_t i = 0; i < operands.size(); ++i) {
    const ArgSpec* spec = InputSpec(op, i, operands.size());
    if (!spec || spec->type != variable) continue;
    DType dtype = NumberType(operands[i]);
    if (NumberKind(dtype) > 3) return DType::kInvalid;
    common.Add(dtype, IsWeak(operands[i]), IsScalar(operands[i]));
  }
  DType type = common.get();
  // u8 < 300 is asked of integers that hold both. No type holds large u64 and
  // negative numbers.
  bool compares = !op.outputs.empty() && op.outputs[0].type == "bool";
  if (!compares || !IsInteger(type) || type == DType::kU64) return type;
  for (const Operand& operand : operands) {
    if (!Holds(operand, type)) return Promote(type, NumberType(operand));
  }
  return type;
}

}  // namespace

bool MayPromote(std::span<const Operand> operands) {
  if (operands.size() < 2) return false;
  DType first = NumberType(operands[0]);
  for (const Operand& operand : operands.subspan(1)) {
    if (NumberType(operand) != first) return true;
  }
  // Bools and integers an op takes as others only.
  return IsInteger(first) || first == DType::kBool;
}

std::optional<PromotedOperands> PromoteOperands(
    const OpRecord& op, std::span<const Operand> operands,
    std::source_location where) {
  std::optional<PromotedOperands> made;
  for (size_t i = 0; i < operands.size(); ++i) {
    const ArgSpec* spec = InputSpec(op, i, operands.size());
    if (!spec || !op.FindType(spec->type)) continue;
    DType common = TypeOf(op, spec->type, operands);
    if (common == DType::kInvalid) continue;
    DType wanted = AcceptedType(op, spec->type, common);
    if (wanted == NumberType(operands[i])) continue;
    // The op says what is wrong with a number that does not fit.
    if (!Holds(operands[i], wanted)) return std::nullopt;
    if (!made) made = {{operands.begin(), operands.end()}, DType::kInvalid};
    made->operands[i] = Converted(operands[i], wanted, where);
    if (made->restored == DType::kInvalid) {
      made->restored = RestoredType(op, common, wanted);
    }
  }
  return made;
}

}  // namespace sluice::front_internal
