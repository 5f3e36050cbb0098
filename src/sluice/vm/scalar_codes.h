// The commonest scalar arithmetic, as instructions of the machine have it: one
// list that names them, runs them and tells their types.
//
// Macros alone: whoever includes it says what is made of a row.
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
  X(And, bool, static_cast<bool>(a & b)) \
  X(Or, bool, static_cast<bool>(a | b))

// The same with a boolean for a result.
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
