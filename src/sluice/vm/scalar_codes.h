// The most common scalar arithmetic as instructions of the machine: one list
// that names them, executes them and gives their types.
//
// Macros, except for the functions used in their rows: the includer defines the
// expansion of a row.
#pragma once

#include <cstdint>

// X(name, the C++ type of operands, result in terms of a and b). Integers wrap.
#define SL_VM_ARITHMETIC(X)              \
  X(AddI32, uint32_t, a + b)             \
  X(AddI64, uint64_t, a + b)             \
  X(AddF32, float, a + b)                \
  X(AddF64, double, a + b)               \
  X(SubI32, uint32_t, a - b)             \
  X(SubI64, uint64_t, a - b)             \
  X(SubF32, float, a - b)                \
  X(SubF64, double, a - b)               \
  X(MulI32, uint32_t, a* b)              \
  X(MulI64, uint64_t, a* b)              \
  X(MulF32, float, a* b)                 \
  X(MulF64, double, a* b)                \
  X(DivF32, float, a / b)                \
  X(DivF64, double, a / b)               \
  SL_VM_EXTREMES(X, I32, int32_t)        \
  SL_VM_EXTREMES(X, I64, int64_t)        \
  SL_VM_EXTREMES(X, F32, float)          \
  SL_VM_EXTREMES(X, F64, double)         \
  X(And, bool, static_cast<bool>(a & b)) \
  X(Or, bool, static_cast<bool>(a | b))

// NaN if either is: a comparison with NaN is false, so b's NaN falls through.
#define SL_VM_EXTREMES(X, suffix, type)             \
  X(Maximum##suffix, type, a > b || a != a ? a : b) \
  X(Minimum##suffix, type, a < b || a != a ? a : b)

// Integer divisions with b != 0 (b == 0 is an error of the op). The smallest
// integer divided by -1 overflows: it wraps, and its remainder is 0.
#define SL_VM_DIVISION(X)          \
  SL_VM_DIVISIONS(X, I32, int32_t) \
  SL_VM_DIVISIONS(X, I64, int64_t)
#define SL_VM_DIVISIONS(X, suffix, type)                                 \
  X(Div##suffix, type, b == -1 ? VmNegated(a) : a / b)                   \
  X(FloorDiv##suffix, type,                                              \
    b == -1 ? VmNegated(a) : a / b - (a % b != 0 && (a < 0) != (b < 0))) \
  X(Mod##suffix, type,                                                   \
    b == -1 ? 0 : a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0))

// X(name, the C++ type of operand and result, result in terms of a).
#define SL_VM_UNARY(X)                         \
  X(NegI32, int32_t, VmNegated(a))             \
  X(NegI64, int64_t, VmNegated(a))             \
  X(NegF32, float, -a)                         \
  X(NegF64, double, -a)                        \
  X(AbsI32, int32_t, a < 0 ? VmNegated(a) : a) \
  X(AbsI64, int64_t, a < 0 ? VmNegated(a) : a) \
  X(AbsF32, float, __builtin_fabsf(a))         \
  X(AbsF64, double, __builtin_fabs(a))         \
  X(SquareI32, uint32_t, a* a)                 \
  X(SquareI64, uint64_t, a* a)                 \
  X(SquareF32, float, a* a)                    \
  X(SquareF64, double, a* a)                   \
  X(SqrtF32, float, __builtin_sqrtf(a))        \
  X(SqrtF64, double, __builtin_sqrt(a))

// X(name, from, to): conversions that are equal in every language.
#define SL_VM_CAST(X)           \
  X(I32ToI64, int32_t, int64_t) \
  X(I32ToF32, int32_t, float)   \
  X(I32ToF64, int32_t, double)  \
  X(I64ToI32, int64_t, int32_t) \
  X(I64ToF32, int64_t, float)   \
  X(I64ToF64, int64_t, double)  \
  X(F32ToF64, float, double)    \
  X(F64ToF32, double, float)    \
  X(BoolToI32, bool, int32_t)   \
  X(BoolToI64, bool, int64_t)   \
  X(BoolToF32, bool, float)     \
  X(BoolToF64, bool, double)

// The same with a boolean result.
#define SL_VM_COMPARISON(X)        \
  X(LessI32, int32_t, a < b)       \
  X(LessI64, int64_t, a < b)       \
  X(LessF32, float, a < b)         \
  X(LessF64, double, a < b)        \
  X(LessEqualI32, int32_t, a <= b) \
  X(LessEqualI64, int64_t, a <= b) \
  X(LessEqualF32, float, a <= b)   \
  X(LessEqualF64, double, a <= b)  \
  X(EqualI32, int32_t, a == b)     \
  X(EqualI64, int64_t, a == b)     \
  X(EqualF32, float, a == b)       \
  X(EqualF64, double, a == b)      \
  X(NotEqualI32, int32_t, a != b)  \
  X(NotEqualI64, int64_t, a != b)  \
  X(NotEqualF32, float, a != b)    \
  X(NotEqualF64, double, a != b)

namespace sluice {

// Wraps: the smallest integer is its own negation.
constexpr int32_t VmNegated(int32_t a) {
  return static_cast<int32_t>(0 - static_cast<uint32_t>(a));
}
constexpr int64_t VmNegated(int64_t a) {
  return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
}

}  // namespace sluice
