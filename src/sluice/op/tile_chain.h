// A chain of tile ops over a block of floats: each step changes a running
// value, alone or with one operand. The loop loads a tile of values, applies
// all steps in registers, and stores it once; running op by op would load and
// store at every step.
#pragma once

#include <cstdint>
#include <span>

#include "sluice/op/block.h"

namespace sluice {

struct TileStep {
  // The operation and the kind of its operand, chosen once, so that the loop
  // only jumps. `swapped`: the running value is the op's second input.
  // `scalar`: the operand is one element for all.
  void Choose(TileOp op, bool swapped, bool scalar);

  uint32_t code = 0;
  int32_t operand = -1;  // register of the other input; -1 for unary ops
};

// out[i] = steps applied to in[i], for i in [0, n). `base[r]` is where register
// r's block starts; a scalar's block is filled with copies of it. out may be
// the same memory as any input.
void RunTileChain(void* out, const void* in, std::span<const TileStep> steps,
                  const char* const* base, int64_t n);

}  // namespace sluice
