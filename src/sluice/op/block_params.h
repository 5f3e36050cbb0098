// Parameters of the formulas of elementwise ops, besides numbers. Freestanding:
// devices compile formulas from their source, including this header.
#pragma once

#include <cstdint>

namespace sluice {

// Numbers read from attributes once, when the function is selected.
struct BlockParams {
  double p[2] = {0, 0};
};

// Arithmetic so short that a pass through memory between two ops costs more
// than the ops: a sequence of these on f32 keeps values in registers
// (op/tile_chain.h). An op declares its TileOp next to its formula.
enum class TileOp : uint8_t {
  kNone,
  kAdd,
  kSub,
  kMul,
  kMaximum,
  kMinimum,
  kNeg,
  kAbs,
  kSquare,
  kRelu,
};

}  // namespace sluice
