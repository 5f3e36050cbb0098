// The commonest scalar arithmetic as instructions of its own: a call of a block
// function costs three times the addition it makes. Everything else runs
// through its block function; the results are equal to the bit.
#pragma once

#include <cstdint>

#include "sluice/graph/node.h"

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

namespace sluice {

enum class Do : uint8_t;

// How a node on cells is done.
struct BytecodeScalar {
  Do code;            // kBlock1 to kBlock3 when there is nothing better
  bool swap = false;  // the second operand first: a > b is b < a
};
BytecodeScalar ScalarFor(const Node& node);

// The jump that is taken unless the comparison holds, which it also notes in
// its cell c. REQUIRES: IsComparison(comparison).
Do JumpUnless(Do comparison);
bool IsComparison(Do code);
// How many of a, b and c are cells it reads.
int CellsRead(Do code);

}  // namespace sluice
