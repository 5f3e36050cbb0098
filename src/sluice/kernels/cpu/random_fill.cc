#include "sluice/kernels/cpu/random_fill.h"

#include <algorithm>
#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/cpu/normal_pair.h"
#include "sluice/kernels/cpu/philox_lanes.h"
#include "sluice/kernels/cpu/strict_math.h"
#include "sluice/tensor/half.h"

namespace sluice {

namespace {

// A multiple of what sixteen blocks of bits yield for any type.
constexpr int64_t kGrain = 1 << 14;

// Each of these turns sixteen blocks of words into kCount elements.

struct UniformF32 {
  using T = float;
  static constexpr int kCount = 4 * kPhiloxLanes;
  static SL_INLINE void Make(const PhiloxWords& w, float* y) {
    SL_VECTORIZE
    for (int j = 0; j < kPhiloxLanes; ++j) {
      for (int k = 0; k < 4; ++k) {
        auto bits = static_cast<int32_t>(w[k][j] >> 8);
        y[4 * j + k] = static_cast<float>(bits) * 0x1p-24f;
      }
    }
  }
};

struct UniformF64 {
  using T = double;
  static constexpr int kCount = 2 * kPhiloxLanes;
  static SL_INLINE void Make(const PhiloxWords& w, double* y) {
    SL_VECTORIZE
    for (int j = 0; j < kPhiloxLanes; ++j) {
      y[2 * j] = UniformDouble(w[0][j], w[1][j]);
      y[2 * j + 1] = UniformDouble(w[2][j], w[3][j]);
    }
  }
};

// Only as many bits as the half type represents: rounding more could give 1.
template <class Half, int kBits>
struct UniformHalf {
  using T = Half;
  static constexpr int kCount = 4 * kPhiloxLanes;
  static SL_INLINE void Make(const PhiloxWords& w, Half* y) {
    constexpr float kScale = 1.0f / (1 << kBits);
    for (int j = 0; j < kPhiloxLanes; ++j) {
      for (int k = 0; k < 4; ++k) {
        auto bits = static_cast<int32_t>(w[k][j] >> (32 - kBits));
        y[4 * j + k] = Half(static_cast<float>(bits) * kScale);
      }
    }
  }
};

struct NormalF32 {
  using T = float;
  static constexpr int kCount = 4 * kPhiloxLanes;
  static SL_INLINE void Make(const PhiloxWords& w, float* y) {
    SL_VECTORIZE
    for (int j = 0; j < kPhiloxLanes; ++j) {
      NormalFloats p = NormalFromWords(w[0][j], w[1][j]);
      NormalFloats q = NormalFromWords(w[2][j], w[3][j]);
      y[4 * j] = p.a;
      y[4 * j + 1] = p.b;
      y[4 * j + 2] = q.a;
      y[4 * j + 3] = q.b;
    }
  }
};

template <class Half>
struct NormalHalf {
  using T = Half;
  static constexpr int kCount = NormalF32::kCount;
  static SL_INLINE void Make(const PhiloxWords& w, Half* y) {
    float wide[kCount];
    NormalF32::Make(w, wide);
    for (int i = 0; i < kCount; ++i) y[i] = Half(wide[i]);
  }
};

struct NormalF64 {
  using T = double;
  static constexpr int kCount = 2 * kPhiloxLanes;
  static SL_INLINE void Make(const PhiloxWords& w, double* y) {
    SL_VECTORIZE
    for (int j = 0; j < kPhiloxLanes; ++j) {
      NormalPair pair = NormalDoubles(w[0][j], w[1][j], w[2][j], w[3][j]);
      y[2 * j] = pair.a;
      y[2 * j + 1] = pair.b;
    }
  }
};

struct ExponentialF64 {
  using T = double;
  static constexpr int kCount = 2 * kPhiloxLanes;
  static SL_INLINE void Make(const PhiloxWords& w, double* y) {
    SL_VECTORIZE
    for (int j = 0; j < kPhiloxLanes; ++j) {
      // 1 - u is never 0.
      y[2 * j] = NegativeLog(1 - UniformDouble(w[0][j], w[1][j]));
      y[2 * j + 1] = NegativeLog(1 - UniformDouble(w[2][j], w[3][j]));
    }
  }
};

template <class Small>
struct ExponentialOf {
  using T = Small;
  static constexpr int kCount = 4 * kPhiloxLanes;
  static SL_INLINE void Make(const PhiloxWords& w, Small* y) {
    float wide[kCount];
    SL_VECTORIZE
    for (int j = 0; j < kPhiloxLanes; ++j) {
      for (int k = 0; k < 4; ++k) wide[4 * j + k] = ExponentialFloat(w[k][j]);
    }
    for (int i = 0; i < kCount; ++i) y[i] = Small(wide[i]);
  }
};

// Elements [begin, end) of the stream; begin is a multiple of kGrain.
template <class Maker>
struct FillLoop {
  static void Run(RandomKey key, int64_t begin, int64_t end, void* to) {
    using T = typename Maker::T;
    constexpr int kPerBlock = Maker::kCount / kPhiloxLanes;
    T* y = static_cast<T*>(to);
    for (int64_t i = begin; i < end; i += Maker::kCount) {
      PhiloxWords words;
      PhiloxLanes(key, static_cast<uint64_t>(i / kPerBlock), words);
      if (end - i >= Maker::kCount) {
        Maker::Make(words, y + i);
      } else {
        T rest[Maker::kCount];
        Maker::Make(words, rest);
        std::copy_n(rest, end - i, y + i);
      }
    }
  }
};

template <class Maker>
void Fill(const RandomKey& key, int64_t n, void* to, WorkerPool* pool) {
  auto fill = isa::Pick<FillLoop<Maker>, RandomKey, int64_t, int64_t, void*>();
  ParallelFor(pool, n, kGrain,
              [&](int64_t b, int64_t e) { fill(key, b, e, to); });
}

template <class F32, class F64, class F16, class BF16>
bool FillAs(DType dtype, const RandomKey& key, int64_t n, void* to,
            WorkerPool* pool) {
  switch (dtype) {
    case DType::kF32:
      Fill<F32>(key, n, to, pool);
      return true;
    case DType::kF64:
      Fill<F64>(key, n, to, pool);
      return true;
    case DType::kF16:
      Fill<F16>(key, n, to, pool);
      return true;
    case DType::kBF16:
      Fill<BF16>(key, n, to, pool);
      return true;
    default:
      return false;
  }
}

// Four words of every block, in order.
struct WordsLoop {
  static void Run(RandomKey key, int64_t begin, int64_t end, uint32_t* y) {
    for (int64_t i = begin; i < end; i += 4 * kPhiloxLanes) {
      PhiloxWords words;
      PhiloxLanes(key, static_cast<uint64_t>(i / 4), words);
      uint32_t out[4 * kPhiloxLanes];
      SL_VECTORIZE
      for (int j = 0; j < kPhiloxLanes; ++j) {
        for (int k = 0; k < 4; ++k) out[4 * j + k] = words[k][j];
      }
      std::copy_n(out, std::min<int64_t>(end - i, 4 * kPhiloxLanes),
                  y + (i - begin));
    }
  }
};

}  // namespace

NormalPair NormalFromBits(const RandomBlock& bits) {
  return NormalDoubles(bits[0], bits[1], bits[2], bits[3]);
}

bool FillUniform(const RandomKey& key, DType dtype, int64_t n, void* to,
                 WorkerPool* pool) {
  return FillAs<UniformF32, UniformF64, UniformHalf<f16, 11>,
                UniformHalf<bf16, 8>>(dtype, key, n, to, pool);
}

bool FillNormal(const RandomKey& key, DType dtype, int64_t n, void* to,
                WorkerPool* pool) {
  return FillAs<NormalF32, NormalF64, NormalHalf<f16>, NormalHalf<bf16>>(
      dtype, key, n, to, pool);
}

bool FillExponential(const RandomKey& key, DType dtype, int64_t n, void* to,
                     WorkerPool* pool) {
  return FillAs<ExponentialOf<float>, ExponentialF64, ExponentialOf<f16>,
                ExponentialOf<bf16>>(dtype, key, n, to, pool);
}

void FillWords(const RandomKey& key, int64_t begin, int64_t end, uint32_t* to) {
  isa::Call<WordsLoop>(key, begin, end, to);
}

}  // namespace sluice
