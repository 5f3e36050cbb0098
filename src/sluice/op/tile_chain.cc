#include "sluice/op/tile_chain.h"

#include <bit>
#include <cstring>
#include <utility>

namespace sluice {

namespace {

// Sixteen bytes of floats: what every target's baseline has a register for.
typedef float Vec __attribute__((vector_size(16)));
typedef int32_t VecBits __attribute__((vector_size(16)));

// As many as leave room for operands and constants: aarch64 has 32 registers,
// x86_64 has 16.
#if defined(__aarch64__)
constexpr int kTile = 10;
#else
constexpr int kTile = 8;
#endif

template <class V>
V Load(const float* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class V>
V Splat(float x) {
  if constexpr (std::is_same_v<V, float>) {
    return x;
  } else {
    return V{x, x, x, x};
  }
}

// The formulas of the ops, on one float or on a vector of them. They must agree
// with the ops' own to the bit; the fusion tests compare both.
template <class V>
V Larger(V a, V b) {
  if constexpr (std::is_same_v<V, float>) {
    return a > b || a != a ? a : b;
  } else {
    return ((a > b) | (a != a)) ? a : b;
  }
}
template <class V>
V Smaller(V a, V b) {
  if constexpr (std::is_same_v<V, float>) {
    return a < b || a != a ? a : b;
  } else {
    return ((a < b) | (a != a)) ? a : b;
  }
}
template <class V>
V Magnitude(V x) {
  if constexpr (std::is_same_v<V, float>) {
    return std::bit_cast<float>(std::bit_cast<int32_t>(x) & 0x7fffffff);
  } else {
    return std::bit_cast<V>(std::bit_cast<VecBits>(x) & 0x7fffffff);
  }
}

enum class Operand : uint8_t { kNone, kVector, kScalar };

constexpr uint32_t CodeOf(TileOp op, Operand operand, bool swapped) {
  return static_cast<uint32_t>(op) * 5 +
         (operand == Operand::kNone     ? 0
          : operand == Operand::kVector ? 1
                                        : 3) +
         (swapped ? 1 : 0);
}

// A step whose operand's address is known: one load less on the way to it.
struct ReadyStep {
  uint32_t code;
  const float* operand;
};

// Takes tiles of N vectors from i while they fit; returns where it stopped.
template <class V, int N, class S>
int64_t RunTiles(float* out, const float* in, std::span<const S> steps,
                 const char* const* base, int64_t i, int64_t n) {
  constexpr int64_t kLanes = sizeof(V) / sizeof(float);
  auto each = [&]<size_t... K>(auto&& f, std::index_sequence<K...>) {
    (f(std::integral_constant<size_t, K>()), ...);
  };
  constexpr auto kAll = std::make_index_sequence<N>();
  auto at = [&](const S* s) {
    if constexpr (std::is_same_v<S, ReadyStep>) {
      return s->operand;
    } else {
      return reinterpret_cast<const float*>(base[s->operand]);
    }
  };
  for (; i + N * kLanes <= n; i += N * kLanes) {
    V v[N];
    each([&](auto k) { v[k] = Load<V>(in + i + k * kLanes); }, kAll);
    for (const S *s = steps.data(), *end = s + steps.size(); s != end; ++s) {
#define SL_BINARY(OP, SWAPPED, EXPR) SL_BINARY_2(OP, SWAPPED, EXPR, EXPR)
#define SL_BINARY_2(OP, SWAPPED, EXPR, SCALAR_EXPR)        \
  case CodeOf(TileOp::OP, Operand::kVector, SWAPPED):      \
    each(                                                  \
        [&](auto k) {                                      \
          V x = v[k], b = Load<V>(at(s) + i + k * kLanes); \
          v[k] = EXPR;                                     \
        },                                                 \
        kAll);                                             \
    break;                                                 \
  case CodeOf(TileOp::OP, Operand::kScalar, SWAPPED): {    \
    V b = Load<V>(at(s));                                  \
    each(                                                  \
        [&](auto k) {                                      \
          V x = v[k];                                      \
          v[k] = SCALAR_EXPR;                              \
        },                                                 \
        kAll);                                             \
    break;                                                 \
  }
#define SL_UNARY(OP, EXPR)                        \
  case CodeOf(TileOp::OP, Operand::kNone, false): \
    each(                                         \
        [&](auto k) {                             \
          V x = v[k];                             \
          v[k] = EXPR;                            \
        },                                        \
        kAll);                                    \
    break;
      switch (s->code) {
        SL_BINARY(kAdd, false, x + b)
        SL_BINARY(kAdd, true, b + x)
        SL_BINARY(kSub, false, x - b)
        SL_BINARY(kSub, true, b - x)
        SL_BINARY(kMul, false, x * b)
        SL_BINARY(kMul, true, b * x)
        // Against one number that is not NaN, a single comparison says it all:
        // it is false for a NaN x, and x is what must come out then.
        SL_BINARY_2(kMaximum, false, Larger(x, b), x <= b ? b : x)
        SL_BINARY_2(kMaximum, true, Larger(b, x), b > x ? b : x)
        SL_BINARY_2(kMinimum, false, Smaller(x, b), x >= b ? b : x)
        SL_BINARY_2(kMinimum, true, Smaller(b, x), b < x ? b : x)
        SL_UNARY(kNeg, -x)
        SL_UNARY(kAbs, Magnitude(x))
        SL_UNARY(kSquare, x * x)
        SL_UNARY(kRelu, x < Splat<V>(0) ? Splat<V>(0) : x)
        default:
          __builtin_unreachable();
      }
#undef SL_BINARY
#undef SL_BINARY_2
#undef SL_UNARY
    }
    each([&](auto k) { std::memcpy(out + i + k * kLanes, &v[k], sizeof(V)); },
         kAll);
  }
  return i;
}

bool IsCompare(uint32_t code) {
  auto op = static_cast<TileOp>(code / 5);
  return op == TileOp::kMaximum || op == TileOp::kMinimum;
}

// True when a maximum or minimum is taken against a scalar that is NaN.
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
      x = larger ? Larger(first, second) : Smaller(first, second);
    } else {
      TileStep one = s;
      const char* bases[1] = {here};
      if (one.operand >= 0) one.operand = 0;
      RunTiles<float, 1, TileStep>(&x, &x, {&one, 1}, bases, 0, 1);
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
    // One element at a time, by the full formulas: a NaN bound is a mistake
    // somewhere, it need not be fast.
    for (int64_t k = 0; k < n; ++k) y[k] = StepByStep(x[k], steps, base, k);
    return;
  }
  int64_t i = 0;
  constexpr size_t kMaxReady = 32;
  if (n >= 4 * kTile && steps.size() <= kMaxReady) {
    ReadyStep ready[kMaxReady];
    for (size_t k = 0; k < steps.size(); ++k) {
      const TileStep& s = steps[k];
      ready[k] = {s.code, s.operand < 0 ? nullptr
                                        : reinterpret_cast<const float*>(
                                              base[s.operand])};
    }
    i = RunTiles<Vec, kTile, ReadyStep>(y, x, {ready, steps.size()}, base, 0,
                                        n);
  }
  i = RunTiles<Vec, 1, TileStep>(y, x, steps, base, i, n);
  RunTiles<float, 1, TileStep>(y, x, steps, base, i, n);
}

}  // namespace sluice
