#include "sluice/eager/promoted_operands.h"

#include "sluice/base/small_vector.h"
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

using TypedOperands = SmallVector<TypedOperand, 4>;

TypedOperands TypesOf(std::span<const Operand> operands) {
  TypedOperands types;
  for (const Operand& operand : operands) {
    types.push_back({NumberType(operand), IsWeak(operand), IsScalar(operand)});
  }
  return types;
}

// Whether all operands declared with that variable are numbers.
bool AllNumbers(const OpRecord& op, const std::string& variable,
                const TypedOperands& operands) {
  for (size_t i = 0; i < operands.size(); ++i) {
    const ArgSpec* spec = InputSpec(op, i, operands.size());
    if (!spec || spec->type != variable) continue;
    if (NumberKind(operands[i].dtype) > 3) return false;
  }
  return true;
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
  const TypedOperands types = TypesOf(operands);
  const HoldsNumbers holds = [&](size_t i, DType dtype) {
    return Holds(operands[i], dtype);
  };
  for (size_t i = 0; i < operands.size(); ++i) {
    const ArgSpec* spec = InputSpec(op, i, operands.size());
    if (!spec || !op.FindType(spec->type)) continue;
    if (!AllNumbers(op, spec->type, types)) continue;
    DType common = CommonType(op, spec->type, types, holds);
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
