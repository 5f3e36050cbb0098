#include "sluice/kernels/cpu/convert.h"

#include <algorithm>
#include <cstring>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "sluice/kernels/cpu/elementwise.h"

namespace sluice {

namespace {

// Converts one element. Floats are given as float or double, integers in their
// own type.
template <class To, class From>
To ConvertOne(From v) {
  if constexpr (std::is_same_v<To, complex64>) {
    return complex64(static_cast<float>(v), 0.0f);
  } else if constexpr (std::is_same_v<To, bool>) {
    return v != From(0);
  } else if constexpr (std::is_same_v<To, f16> || std::is_same_v<To, bf16>) {
    return To(static_cast<float>(v));
  } else if constexpr (std::is_integral_v<To> &&
                       std::is_floating_point_v<From>) {
    // The bounds are powers of two, hence exact; max + 1 is the first number
    // that does not fit.
    constexpr From kLow = static_cast<From>(std::numeric_limits<To>::min());
    constexpr From kHigh =
        static_cast<From>(std::numeric_limits<To>::max() / 2 + 1) * 2;
    From inside = v >= kLow && v < kHigh ? v : From(0);
    To y = static_cast<To>(inside);
    y = v < kLow ? std::numeric_limits<To>::min() : y;
    return v >= kHigh ? std::numeric_limits<To>::max() : y;
  } else {
    return static_cast<To>(v);
  }
}

template <class From, class To>
struct Direct {
  static void Run(void* out, const void* const* in, int64_t n,
                  const BlockParams&) {
    using C = Compute<From>;
    const From* x = static_cast<const From*>(in[0]);
    To* y = static_cast<To*>(out);
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) y[i] = ConvertOne<To>(static_cast<C>(x[i]));
  }
};

#if defined(__aarch64__)
// Converts four numbers per instruction; rounds like bf16(float).
__attribute__((target("arch=armv8.2-a+bf16"))) void FloatToBf16(
    void* out, const void* const* in, int64_t n, const BlockParams& params) {
  const float* x = static_cast<const float*>(in[0]);
  bf16* y = static_cast<bf16*>(out);
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    bfloat16x8_t a = vcvtq_low_bf16_f32(vld1q_f32(x + i));
    bfloat16x8_t b = vcvtq_low_bf16_f32(vld1q_f32(x + i + 8));
    a = vcvtq_high_bf16_f32(a, vld1q_f32(x + i + 4));
    b = vcvtq_high_bf16_f32(b, vld1q_f32(x + i + 12));
    vst1q_u16(&y[i].bits, vreinterpretq_u16_bf16(a));
    vst1q_u16(&y[i + 8].bits, vreinterpretq_u16_bf16(b));
  }
  const void* rest[] = {x + i};
  Direct<float, bf16>::Run(y + i, rest, n - i, params);
}
#endif

#if defined(__x86_64__)
// The instructions for f16, which plain loops do not find.
SL_TARGET_AVX2 void FloatToF16(void* out, const void* const* in, int64_t n,
                               const BlockParams& params) {
  const float* x = static_cast<const float*>(in[0]);
  f16* y = static_cast<f16*>(out);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m128i h =
        _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y + i), h);
  }
  const void* rest[] = {x + i};
  Direct<float, f16>::Run(y + i, rest, n - i, params);
}
SL_TARGET_AVX2 void F16ToFloat(void* out, const void* const* in, int64_t n,
                               const BlockParams& params) {
  const f16* x = static_cast<const f16*>(in[0]);
  float* y = static_cast<float*>(out);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m128i h = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i));
    _mm256_storeu_ps(y + i, _mm256_cvtph_ps(h));
  }
  const void* rest[] = {x + i};
  Direct<f16, float>::Run(y + i, rest, n - i, params);
}
#endif

// All pairs would be two hundred loops. Rare pairs take two steps through a
// type that represents the source exactly: double, int64 or uint64.
constexpr int64_t kStep = 256;

template <class From, class Wide>
void Load(const void* from, int64_t n, Wide* wide) {
  const From* x = static_cast<const From*>(from);
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<From, complex64>) {
      wide[i] = x[i].real();
    } else {
      wide[i] = static_cast<Wide>(x[i]);
    }
  }
}

template <class Wide, class To>
void Store(const Wide* wide, int64_t n, void* to) {
  To* y = static_cast<To*>(to);
  for (int64_t i = 0; i < n; ++i) y[i] = ConvertOne<To>(wide[i]);
}

template <class Wide>
using LoadFn = void (*)(const void*, int64_t, Wide*);
template <class Wide>
using StoreFn = void (*)(const Wide*, int64_t, void*);

template <class Wide, class... Ts>
LoadFn<Wide> PickLoad(DType from, Types<Ts...>) {
  LoadFn<Wide> fn = nullptr;
  ((DTypeOf<Ts>::value == from ? void(fn = &Load<Ts, Wide>) : void()), ...);
  return fn;
}

template <class Wide, class... Ts>
StoreFn<Wide> PickStore(DType to, Types<Ts...>) {
  StoreFn<Wide> fn = nullptr;
  ((DTypeOf<Ts>::value == to ? void(fn = &Store<Wide, Ts>) : void()), ...);
  return fn;
}

template <class Wide, class List>
void TwoSteps(void* out, const void* const* in, int64_t n,
              const BlockParams& params) {
  auto from = static_cast<DType>(params.p[0]);
  auto to = static_cast<DType>(params.p[1]);
  LoadFn<Wide> load = PickLoad<Wide>(from, List{});
  StoreFn<Wide> store = PickStore<Wide>(to, PlainTypes{});
  Wide wide[kStep];
  for (int64_t i = 0; i < n; i += kStep) {
    int64_t m = std::min(kStep, n - i);
    load(static_cast<const char*>(in[0]) + i * DTypeSize(from), m, wide);
    store(wide, m, static_cast<char*>(out) + i * DTypeSize(to));
  }
}

// Nonzero is true: the real part alone is not enough.
void ComplexToBool(void* out, const void* const* in, int64_t n,
                   const BlockParams&) {
  const auto* x = static_cast<const complex64*>(in[0]);
  bool* y = static_cast<bool*>(out);
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] != complex64(0);
}

void Same(void* out, const void* const* in, int64_t n,
          const BlockParams& params) {
  auto dtype = static_cast<DType>(params.p[0]);
  std::memmove(out, in[0], static_cast<size_t>(n * DTypeSize(dtype)));
}

template <class From, class... Ts>
BlockFn PickTo(DType to, Types<Ts...>) {
  BlockFn fn = nullptr;
  ((DTypeOf<Ts>::value == to ? void(fn = PickLevel<Direct<From, Ts>>())
                             : void()),
   ...);
  return fn;
}

// The pairs that training programs use in their inner loops.
BlockFn PickDirect(DType from, DType to) {
#if defined(__x86_64__)
  if (Cpu().level >= CpuLevel::kAvx2) {
    if (from == DType::kF32 && to == DType::kF16) return FloatToF16;
    if (from == DType::kF16 && to == DType::kF32) return F16ToFloat;
  }
#elif defined(__aarch64__)
  if (from == DType::kF32 && to == DType::kBF16 && Cpu().neon_bf16) {
    return FloatToBf16;
  }
#endif
  switch (from) {
    case DType::kF32:
      return PickTo<float>(
          to, Types<double, f16, bf16, int32_t, int64_t, uint8_t, bool>{});
    case DType::kF64:
      return PickTo<double>(to, Types<float, int64_t>{});
    case DType::kF16:
      return PickTo<f16>(to, Types<float>{});
    case DType::kBF16:
      return PickTo<bf16>(to, Types<float>{});
    case DType::kI32:
      return PickTo<int32_t>(to, Types<float, int64_t>{});
    case DType::kI64:
      return PickTo<int64_t>(to, Types<float, int32_t>{});
    case DType::kU8:
      return PickTo<uint8_t>(to, Types<float, int32_t>{});
    case DType::kBool:
      return PickTo<bool>(to, Types<float, int32_t>{});
    default:
      return nullptr;
  }
}

}  // namespace

BlockKernel ConvertBlock(DType from, DType to) {
  BlockKernel kernel;
  if (!IsPlainData(from) || !IsPlainData(to)) return kernel;
  kernel.formula = "formula::Convert";
  kernel.params.p[0] = static_cast<double>(from);
  kernel.params.p[1] = static_cast<double>(to);
  if (from == to) {
    kernel.fn = Same;
  } else if (BlockFn direct = PickDirect(from, to)) {
    kernel.fn = direct;
  } else if (from == DType::kC64 && to == DType::kBool) {
    kernel.fn = ComplexToBool;
  } else if (IsFloating(from) || from == DType::kC64) {
    kernel.fn = TwoSteps<double, Types<float, double, f16, bf16, complex64>>;
  } else if (from >= DType::kU8 && from <= DType::kU64) {
    kernel.fn =
        TwoSteps<uint64_t, Types<uint8_t, uint16_t, uint32_t, uint64_t>>;
  } else {
    kernel.fn =
        TwoSteps<int64_t, Types<int8_t, int16_t, int32_t, int64_t, bool>>;
  }
  return kernel;
}

}  // namespace sluice
