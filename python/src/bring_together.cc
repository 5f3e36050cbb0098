#include "bring_together.h"

#include <map>

#include "dtype.h"
#include "errors.h"
#include "number_checks.h"
#include "op_call.h"
#include "sluice/base/small_vector.h"
#include "sluice/base/strings.h"
#include "sluice/eager/default_float.h"

namespace sluice::py {

namespace {

using front_internal::InputSpec;
using front_internal::TypedOperand;

// True for one element without axes; false if unknown.
bool IsScalar(const Given& g) {
  return g.tensor.defined() ? g.tensor.rank() == 0 : g.array.rank() == 0;
}

// ---- Python numbers that a type cannot hold ----

bool Fits(DType dtype, DType its, const Array& numbers, int64_t i) {
  const int bits = static_cast<int>(DTypeSize(dtype)) * 8;
  const uint64_t top = ~uint64_t{0} >> (64 - bits + (IsSigned(dtype) ? 1 : 0));
  if (its == DType::kU64) return numbers.data<uint64_t>()[i] <= top;
  int64_t v = numbers.data<int64_t>()[i];
  if (v >= 0) return static_cast<uint64_t>(v) <= top;
  return IsSigned(dtype) && v >= -static_cast<int64_t>(top) - 1;
}

// Whether an integer type can hold all of these. Python numbers are i64, or u64
// if they do not fit.
bool Holds(DType dtype, const Given& given) {
  if (!given.weak || given.tensor.defined() || !IsInteger(dtype)) return true;
  DType its = given.dtype();
  if (its == dtype || (its != DType::kI64 && its != DType::kU64)) return true;
  Array plain = ValueOrThrow(given.array.AsContiguous());
  for (int64_t i = 0; i < plain.num_elements(); ++i) {
    if (!Fits(dtype, its, plain, i)) return false;
  }
  return true;
}

// An integer computed by the graph: its value is unknown.
bool IsComputed(const Given& given) {
  return given.weak && given.tensor.defined() && given.tensor.symbolic() &&
         given.dtype() == DType::kI64;
}

void WantHeld(const OpRecord& op, size_t i, const Given& given, DType dtype) {
  if (IsComputed(given) && IsInteger(dtype) && dtype != DType::kI64) {
    return WantHeldBy(given.tensor, dtype);
  }
  if (Holds(dtype, given)) return;
  std::string what = "a list of numbers";
  if (IsScalar(given)) {
    what = given.dtype() == DType::kU64 ? StrCat(*given.array.data<uint64_t>())
                                        : StrCat(*given.array.data<int64_t>());
  }
  ThrowValueError(StrCat(
      "[", op.name, "] operand ", i, " is ", what, ", which ",
      PythonName(dtype),
      " does not hold; wanted it in range, or the tensor as a wider type"));
}

// Sizes and indices are integers: for (2.5, 3) the fraction would be dropped
// silently. An empty operand, (), has no type of its own.
void WantWhole(const OpRecord& op, size_t i, const Given& given) {
  if (!given.weak || !IsFloating(given.dtype())) return;
  if (!given.tensor.defined() && given.array.num_elements() == 0) return;
  ThrowTypeError(StrCat("[", op.name, "] operand ", i, " is of ",
                        PythonName(given.dtype()), "; wanted ints"));
}

// ---- Conversions ----

// Converts a number where C++ conversion is exact: most calls with a number are
// x * 2 and x + 0.5.
template <class From>
bool NumberAs(const Array& number, DType dtype, Array* out) {
  From value = *number.data<From>();
  switch (dtype) {
    case DType::kF32:
      *out = Array::Scalar<float>(static_cast<float>(value));
      return true;
    case DType::kF64:
      *out = Array::Scalar<double>(static_cast<double>(value));
      return true;
    case DType::kI64:
      if constexpr (std::is_floating_point_v<From>) return false;
      *out = Array::Scalar<int64_t>(static_cast<int64_t>(value));
      return true;
    default:
      return false;
  }
}

Array ValueAs(const Array& value, DType dtype) {
  Array made;
  if (value.rank() == 0) {
    bool done =
        value.dtype() == DType::kF64   ? NumberAs<double>(value, dtype, &made)
        : value.dtype() == DType::kI64 ? NumberAs<int64_t>(value, dtype, &made)
                                       : false;
    if (done) return made;
  }
  return CastArray(value, dtype);
}

void Convert(Given& given, DType dtype) {
  if (given.dtype() == dtype) return;
  if (given.tensor.defined()) {
    given.weak = false;
    given.tensor = CallOne("Cast", {std::move(given)}, {{"dtype", dtype}});
  } else {
    given.array = ValueAs(given.array, dtype);
  }
}

// Whether all operands that share a type already have it, which is usual.
bool Agree(const OpRecord& op, std::span<const Given> inputs) {
  if (op.inputs.size() != inputs.size()) return false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].weak) return false;
    const std::string& type = op.inputs[i].type;
    const TypeVar* var = op.FindType(type);
    if (!var || !var->allowed.contains(inputs[i].dtype())) return false;
    for (size_t k = 0; k < i; ++k) {
      if (op.inputs[k].type == type && inputs[k].dtype() != inputs[i].dtype()) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

DType BringTogether(const OpRecord& op, std::span<Given> inputs,
                    const Attrs& attrs) {
  if (Agree(op, inputs)) return DType::kInvalid;
  DType restored = DType::kInvalid;
  SmallVector<TypedOperand, 4> types;
  for (const Given& in : inputs) {
    types.push_back({in.dtype(), in.weak, IsScalar(in)});
  }
  const front_internal::HoldsNumbers holds = [&](size_t i, DType dtype) {
    return !IsComputed(inputs[i]) && Holds(dtype, inputs[i]);
  };
  // Once per type variable: a list may have many thousand operands.
  std::map<std::string_view, DType> commons;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ArgSpec* spec = InputSpec(op, i, inputs.size());
    if (!spec) continue;
    DType wanted = inputs[i].dtype();
    if (spec->type == "any") {
      if (inputs[i].weak) wanted = front_internal::WrittenType(wanted);
    } else if (DType fixed = DTypeFromName(spec->type);
               fixed != DType::kInvalid) {
      if (IsInteger(fixed)) WantWhole(op, i, inputs[i]);
      // Integers of another size are accepted; a bool is not a number.
      if (inputs[i].weak || (IsInteger(fixed) && IsInteger(wanted)) ||
          (IsFloating(fixed) && NumberKind(wanted) <= 2)) {
        wanted = fixed;
      }
    } else if (op.FindType(spec->type)) {
      auto [found, first] = commons.try_emplace(spec->type, DType::kInvalid);
      if (first) {
        found->second =
            front_internal::CommonType(op, spec->type, types, holds);
      }
      DType common = found->second;
      wanted = front_internal::AcceptedType(op, spec->type, common);
      if (restored == DType::kInvalid) {
        restored = front_internal::RestoredType(op, common, wanted);
      }
    } else if (const AttrValue* attr = attrs.find(spec->type);
               attr && attr->kind() == AttrKind::kDType) {
      wanted = attr->get<DType>();
    } else if (inputs[i].weak) {
      wanted = front_internal::WrittenType(wanted);
    }
    WantHeld(op, i, inputs[i], wanted);
    Convert(inputs[i], wanted);
  }
  return restored;
}

}  // namespace sluice::py
