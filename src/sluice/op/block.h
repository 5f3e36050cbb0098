// Block functions: the arithmetic of an elementwise op on a run of contiguous
// elements. The op's kernel, fused loops and scalar code on a tape are all made
// of them, so an elementwise op states its arithmetic once.
#pragma once

#include <cstdint>
#include <span>

#include "sluice/op/attr.h"

namespace sluice {

inline constexpr int kMaxBlockInputs = 3;

// Numbers taken from attributes once, when the function is chosen.
struct BlockParams {
  double p[2] = {0, 0};
};

// out[i] = f(in[0][i], ...) for i in [0, n). out may be the same memory as any
// input whose elements are of the same size.
using BlockFn = void (*)(void* out, const void* const* in, int64_t n,
                         const BlockParams& params);

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

struct BlockKernel {
  BlockFn fn = nullptr;
  BlockParams params;
  TileOp tile = TileOp::kNone;
};

// The function for these dtypes, or fn == null when there is none.
using BlockSelect = BlockKernel (*)(const Attrs& attrs,
                                    std::span<const DType> in, DType out);

}  // namespace sluice
