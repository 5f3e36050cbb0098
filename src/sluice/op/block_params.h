// What formulas of elementwise ops use besides numbers. Freestanding: devices
// compile formulas from their source, this header included.
#pragma once

#include <cstdint>

namespace sluice {

// Numbers taken from attributes once, when the function is chosen.
struct BlockParams {
  double p[2] = {0, 0};
};

// Arithmetic so short that passing through memory between two ops costs more
// than the ops: a run of these on f32 is done with values kept in registers
// (op/tile_chain.h). An op says which it is beside its formula.
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
