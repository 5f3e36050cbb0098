#include "sluice/op/tile_chain.h"

#include <bit>
#include <cstring>
#include <utility>

#include "sluice/base/cpu_features.h"

namespace sluice {

namespace {

enum class Operand : uint8_t { kNone, kVector, kScalar };

constexpr uint32_t CodeOf(TileOp op, Operand operand, bool swapped) {
  return static_cast<uint32_t>(op) * 5 +
         (operand == Operand::kNone     ? 0
          : operand == Operand::kVector ? 1
                                        : 3) +
         (swapped ? 1 : 0);
}

// A step with its operand's address resolved: saves one load.
struct ReadyStep {
  uint32_t code;
  const float* operand;
};

constexpr size_t kMaxReady = 32;

// As many vectors as leave registers for operands and constants: aarch64 and
// AVX-512 have 32 registers, others 16.
namespace baseline {
#if defined(__aarch64__)
constexpr int kBytes = 16, kTile = 10;
#else
constexpr int kBytes = 16, kTile = 8;
#endif
#include "sluice/op/tile_chain_loop.inc"
}  // namespace baseline

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
namespace avx2 {
constexpr int kBytes = 32, kTile = 8;
#include "sluice/op/tile_chain_loop.inc"
}  // namespace avx2
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f"))), \
                             apply_to = function)
#else
#pragma GCC target("avx512f")
#endif
namespace avx512 {
constexpr int kBytes = 64, kTile = 10;
#include "sluice/op/tile_chain_loop.inc"
}  // namespace avx512
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

using ChainFn = decltype(&baseline::RunChain);

ChainFn PickChain() {
#if defined(__x86_64__)
  if (Cpu().level == CpuLevel::kAvx512) return avx512::RunChain;
  if (Cpu().level == CpuLevel::kAvx2) return avx2::RunChain;
#endif
  return baseline::RunChain;
}

bool IsCompare(uint32_t code) {
  auto op = static_cast<TileOp>(code / 5);
  return op == TileOp::kMaximum || op == TileOp::kMinimum;
}

// Whether a maximum or minimum has a NaN scalar as its operand.
bool ComparesWithNan(std::span<const TileStep> steps, const char* const* base) {
  for (const TileStep& s : steps) {
    if (!IsCompare(s.code) || s.code % 5 < 3) continue;
    float b = *reinterpret_cast<const float*>(base[s.operand]);
    if (b != b) return true;
  }
  return false;
}

float StepByStep(float x, std::span<const TileStep> steps,
                 const char* const* base, int64_t i) {
  for (const TileStep& s : steps) {
    const char* block = s.operand < 0 ? nullptr : base[s.operand];
    const char* here = block && s.code % 5 < 3 ? block + i * 4 : block;
    if (IsCompare(s.code)) {
      float b = *reinterpret_cast<const float*>(here);
      bool larger = static_cast<TileOp>(s.code / 5) == TileOp::kMaximum;
      bool swapped = s.code % 5 == 2 || s.code % 5 == 4;
      float first = swapped ? b : x, second = swapped ? x : b;
      x = larger ? baseline::Larger(first, second)
                 : baseline::Smaller(first, second);
    } else {
      TileStep one = s;
      const char* bases[1] = {here};
      if (one.operand >= 0) one.operand = 0;
      baseline::RunTiles<float, 1, TileStep>(&x, &x, {&one, 1}, bases, 0, 1);
    }
  }
  return x;
}

}  // namespace

void TileStep::Choose(TileOp op, bool swapped, bool scalar) {
  Operand kind = operand < 0 ? Operand::kNone
                 : scalar    ? Operand::kScalar
                             : Operand::kVector;
  code = CodeOf(op, kind, swapped);
}

void RunTileChain(void* out, const void* in, std::span<const TileStep> steps,
                  const char* const* base, int64_t n) {
  auto* y = static_cast<float*>(out);
  auto* x = static_cast<const float*>(in);
  if (ComparesWithNan(steps, base)) [[unlikely]] {
    // One element at a time, by the complete formulas: a NaN bound is an error
    // in the program and need not be fast.
    for (int64_t k = 0; k < n; ++k) y[k] = StepByStep(x[k], steps, base, k);
    return;
  }
  static const ChainFn run = PickChain();
  run(y, x, steps, base, n);
}

}  // namespace sluice
