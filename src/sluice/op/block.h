// Block functions: the arithmetic of an elementwise op on a run of contiguous
// elements. The op's kernel, fused loops and scalar code on a tape are all made
// of them, so an elementwise op states its arithmetic once.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sluice/op/attr.h"
#include "sluice/op/block_params.h"

namespace sluice {

inline constexpr int kMaxBlockInputs = 3;

// out[i] = f(in[0][i], ...) for i in [0, n). out may be the same memory as any
// input whose elements are of the same size.
using BlockFn = void (*)(void* out, const void* const* in, int64_t n,
                         const BlockParams& params);

struct BlockKernel {
  BlockFn fn = nullptr;
  BlockParams params;
  TileOp tile = TileOp::kNone;
  // The name of the formula behind `fn` in the op's source, for devices that
  // compile kernels from that source: "ErfFn". Empty: there is none.
  std::string_view formula = {};
};

// A formula's name in its source, without namespaces, from the compiler's name
// of F, such as "sluice::(anonymous namespace)::ErfFn".
template <class F>
constexpr std::string_view FormulaName() {
  std::string_view text = __PRETTY_FUNCTION__;
  size_t begin = text.find("F = ") + 4;
  text = text.substr(begin);
  size_t end = text.find(';');
  return text.substr(0, end != text.npos ? end : text.rfind(']'));
}

// The function for these dtypes, or fn == null when there is none.
using BlockSelect = BlockKernel (*)(const Attrs& attrs,
                                    std::span<const DType> in, DType out);

}  // namespace sluice
