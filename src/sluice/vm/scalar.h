// The most common scalar arithmetic as dedicated instructions: calling a block
// function costs three times as much as an addition. All other arithmetic uses
// block functions. Results are equal to the bit. Plain functions, thread safe.
#pragma once

#include <cstdint>

#include "sluice/graph/node.h"
#include "sluice/vm/scalar_codes.h"

namespace sluice {

enum class Do : uint8_t;

// The instruction for a node on cells.
struct BytecodeScalar {
  Do code;            // kBlock1 to kBlock3 if there is no dedicated one
  bool swap = false;  // swaps the operands: a > b is b < a
};
BytecodeScalar ScalarFor(const Node& node);

// The jump that is taken unless the comparison holds; it also stores the result
// of the comparison in cell c. REQUIRES: IsComparison(comparison).
Do JumpUnless(Do comparison);
bool IsComparison(Do code);
// Whether the node has a dedicated instruction, without a block function.
bool HasInstruction(const Node& node);
// How many of a, b and c are cells that it reads.
int CellsRead(Do code);

}  // namespace sluice
