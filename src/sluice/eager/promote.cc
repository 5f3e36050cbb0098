#include "sluice/eager/promote.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "sluice/eager/default_float.h"

namespace sluice::front_internal {

namespace {

// The type of two kinds of operands, the second of which counts only where its
// numbers are of a higher kind.
DType Over(DType first, DType second) {
  if (first == DType::kInvalid) return second;
  if (second == DType::kInvalid) return first;
  return NumberKind(second) > NumberKind(first) ? second : first;
}

// Ops that give bools when they are given bools, as PyTorch and numpy have it.
bool KeepsBools(std::string_view op) {
  static constexpr std::string_view kOps[] = {
      "Add",      "Clip",    "CumMax", "CumMin",  "Heaviside", "IndexAdd",
      "Max",      "Maximum", "Min",    "Minimum", "Mul",       "Outer",
      "PutAlong", "Relu",    "Sign",   "Sort",    "TopK"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

// Products that have the type of their integers, in which they wrap.
bool KeepsIntegers(std::string_view op) {
  static constexpr std::string_view kOps[] = {
      "BatchMatMul", "Dot", "Einsum", "MatMul", "MatVec", "Outer", "Relu"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
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

void CommonType::Add(DType dtype, bool weak, bool scalar) {
  DType& into = weak ? weak_ : scalar ? single_ : full_;
  into = into == DType::kInvalid ? dtype : Promote(into, dtype);
}

DType CommonType::get() const {
  return Over(full_, Over(single_, WrittenType(weak_)));
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
  bool keeps =
      common == DType::kBool
          ? KeepsBools(op.name)
          : IsInteger(common) && IsInteger(computed) && KeepsIntegers(op.name);
  return keeps ? common : DType::kInvalid;
}

}  // namespace sluice::front_internal
