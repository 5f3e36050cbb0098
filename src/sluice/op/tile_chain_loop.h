// The loops of tile_chain.cc. Included there once for every instruction set, in
// a namespace of its own that says how wide a vector is (kBytes) and how many
// of them make a tile (kTile): vectors wider than the baseline's have to be
// spelled inside functions compiled for them.

typedef float Vec __attribute__((vector_size(kBytes)));
typedef float Vec4 __attribute__((vector_size(16)));

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
    return x - V{};
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
    typedef int32_t Bits __attribute__((vector_size(sizeof(V))));
    return (V)((Bits)x & 0x7fffffff);  // the same bits, as a vector cast is
  }
}

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

// Steps in, elements [0, n) done.
void RunChain(float* y, const float* x, std::span<const TileStep> steps,
              const char* const* base, int64_t n) {
  int64_t i = 0;
  if (n >= kTile * kBytes / 4 && steps.size() <= kMaxReady) {
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
  if (kBytes > 16) i = RunTiles<Vec4, 1, TileStep>(y, x, steps, base, i, n);
  RunTiles<float, 1, TileStep>(y, x, steps, base, i, n);
}
