#include "sluice/eager/promote.h"

#include "sluice/eager/default_float.h"
#include "sluice/op/face.h"

namespace sluice::front_internal {

namespace {

// The type of two kinds of operands, the second of which counts only where its
// numbers are of a higher kind.
DType Over(DType first, DType second) {
  if (first == DType::kInvalid) return second;
  if (second == DType::kInvalid) return first;
  return NumberKind(second) > NumberKind(first) ? second : first;
}

// Operands seen one by one, by what counts first.
class Seen {
 public:
  void Add(const TypedOperand& operand) {
    DType& into = operand.weak ? weak_ : operand.scalar ? single_ : full_;
    into =
        into == DType::kInvalid ? operand.dtype : Promote(into, operand.dtype);
  }
  // kInvalid before the first.
  DType common() const {
    return Over(full_, Over(single_, WrittenType(weak_)));
  }

 private:
  DType full_ = DType::kInvalid, single_ = DType::kInvalid,
        weak_ = DType::kInvalid;
};

bool Compares(const OpRecord& op) {
  return !op.outputs.empty() && op.outputs[0].type == "bool";
}

}  // namespace

const ArgSpec* InputSpec(const OpRecord& op, size_t i, size_t count) {
  size_t next = 0;
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    size_t after = op.inputs.size() - k - 1;
    size_t taken = !op.inputs[k].list     ? 1
                   : count > next + after ? count - next - after
                                          : 0;
    if (i < next + taken) return &op.inputs[k];
    next += taken;
  }
  return nullptr;
}

int NumberKind(DType t) {
  return t == DType::kBool  ? 0
         : IsInteger(t)     ? 1
         : IsFloating(t)    ? 2
         : t == DType::kC64 ? 3
                            : 4;
}

DType Promote(DType a, DType b) {
  if (a == b) return a;
  if (NumberKind(a) != NumberKind(b))
    return NumberKind(a) > NumberKind(b) ? a : b;
  if (IsFloating(a)) {
    if (a == DType::kF64 || b == DType::kF64) return DType::kF64;
    return DType::kF32;  // of f32, f16 and bf16 two that differ
  }
  bool signs_differ = IsSigned(a) != IsSigned(b);
  DType larger = DTypeSize(a) >= DTypeSize(b) ? a : b;
  if (!signs_differ) return larger;
  DType plain = IsSigned(a) ? b : a, with_sign = IsSigned(a) ? a : b;
  if (DTypeSize(with_sign) > DTypeSize(plain)) return with_sign;
  switch (DTypeSize(plain)) {
    case 1:
      return DType::kI16;
    case 2:
      return DType::kI32;
    default:
      return DType::kI64;
  }
}

DType CommonType(const OpRecord& op, std::string_view type,
                 std::span<const TypedOperand> operands,
                 const HoldsNumbers& holds) {
  Seen seen;
  for (size_t i = 0; i < operands.size(); ++i) {
    const ArgSpec* spec = InputSpec(op, i, operands.size());
    if (spec && spec->type == type) seen.Add(operands[i]);
  }
  const DType common = seen.common();
  // No type holds large u64 and negative numbers.
  if (!Compares(op) || !IsInteger(common) || common == DType::kU64)
    return common;
  for (size_t i = 0; i < operands.size(); ++i) {
    const TypedOperand& in = operands[i];
    bool wider =
        !in.weak && IsInteger(in.dtype) && Promote(common, in.dtype) != common;
    if (wider || !holds(i, common)) return Promote(common, in.dtype);
  }
  return common;
}

DType StatedType(const ArgSpec& input, const Attrs& attrs) {
  DType fixed = DTypeFromName(input.type);
  if (fixed != DType::kInvalid) return fixed;
  const AttrValue* attr = attrs.find(input.type);
  return attr && attr->kind() == AttrKind::kDType ? attr->get<DType>()
                                                  : DType::kInvalid;
}

DType AcceptedType(const OpRecord& op, const std::string& type, DType dtype) {
  const TypeVar* var = op.FindType(type);
  if (!var || var->allowed.contains(dtype)) return dtype;
  if (IsInteger(dtype) || dtype == DType::kBool) {
    if (var->allowed.contains(DType::kI64)) return DType::kI64;
    if (var->allowed.contains(DefaultFloat())) return DefaultFloat();
    if (var->allowed.contains(DType::kF32)) return DType::kF32;
  }
  return dtype;
}

DType RestoredType(const OpRecord& op, DType common, DType computed) {
  if (common == computed) return DType::kInvalid;
  bool keeps = FaceOf(op.name).kept_types().contains(common) &&
               (common == DType::kBool || IsInteger(computed));
  return keeps ? common : DType::kInvalid;
}

}  // namespace sluice::front_internal
