// The commonest scalar arithmetic as instructions of its own: a call of a block
// function costs three times the addition it makes. Everything else runs
// through its block function; the results are equal to the bit.
#pragma once

#include <cstdint>

#include "sluice/graph/node.h"
#include "sluice/vm/scalar_codes.h"

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
// An instruction of its own, which needs no block function.
bool HasInstruction(const Node& node);
// How many of a, b and c are cells it reads.
int CellsRead(Do code);

}  // namespace sluice
