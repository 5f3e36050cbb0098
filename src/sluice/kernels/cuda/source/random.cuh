// Random numbers of a keyed stream (base/random.h): element i depends only on
// the key and i and has the CPU's bits (kernels/cpu/random_fill.cc).
#pragma once

#include "sluice/base/random.h"
#include "sluice/cuda/checks.cuh"
#include "sluice/cuda/elementwise.cuh"
#include "sluice/kernels/cpu/normal_pair.h"
#include "sluice/kernels/formula/below.h"

namespace sluice {

struct RandomArgs {
  void* to;
  int64_t n;
  RandomKey key;
  const void* from;  // the input of some ops
  void* mask;        // Dropout
  Check* check;
  uint64_t low;  // RandomInt; Dropout: the smallest word that is kept
  uint64_t range;
  double scale;
  // The address of the key, if not in `key`: a recorded launch draws different
  // numbers in each run.
  const RandomKey* key_at;
};

inline RandomArgs WithKey(RandomArgs a) {
  if (a.key_at) a.key = *a.key_at;
  return a;
}

// The number of elements from a block of four words.
template <class T>
constexpr int kPerBlock = std::is_same_v<T, double> ? 2 : 4;

template <class T>
struct Drawn {
  T v[kPerBlock<T>];
};

struct Uniform {
  template <class T>
  static Drawn<T> Make(const RandomBlock& w, const RandomKey&, int64_t) {
    Drawn<T> y;
    if constexpr (std::is_same_v<T, double>) {
      for (int k = 0; k < 2; ++k) {
        y.v[k] = UniformDouble(w[2 * k], w[2 * k + 1]);
      }
    } else {
      // As many bits as the type holds: rounding more bits could yield 1.
      constexpr int kBits = std::is_same_v<T, float>  ? 24
                            : std::is_same_v<T, bf16> ? 8
                                                      : 11;
      constexpr float kScale = 1.0f / (1 << kBits);
      for (int k = 0; k < 4; ++k) {
        y.v[k] = T(float(int32_t(w[k] >> (32 - kBits))) * kScale);
      }
    }
    return y;
  }
};

struct Normal {
  template <class T>
  static Drawn<T> Make(const RandomBlock& w, const RandomKey&, int64_t) {
    Drawn<T> y;
    if constexpr (std::is_same_v<T, double>) {
      NormalPair pair = NormalDoubles(w[0], w[1], w[2], w[3]);
      y.v[0] = pair.a;
      y.v[1] = pair.b;
    } else {
      NormalFloats p = NormalFromWords(w[0], w[1]);
      NormalFloats q = NormalFromWords(w[2], w[3]);
      y.v[0] = T(p.a);
      y.v[1] = T(p.b);
      y.v[2] = T(q.a);
      y.v[3] = T(q.b);
    }
    return y;
  }
};

struct TruncatedNormal {
  static constexpr double kLimit = 2;
  static double DrawAgain(const RandomKey& key, int64_t i) {
    ElementStream stream(RetryKey(key), i);
    for (int draw = 0; draw < ElementStream::kMaxDraws; ++draw) {
      NormalPair pair = stream.Normals();
      if (std::fabs(pair.a) <= kLimit) return pair.a;
      if (std::fabs(pair.b) <= kLimit) return pair.b;
    }
    return 0;
  }
  template <class T>
  static Drawn<T> Make(const RandomBlock& w, const RandomKey& key,
                       int64_t first) {
    using C = Compute<T>;
    Drawn<T> y = Normal::Make<T>(w, key, first);
    for (int k = 0; k < kPerBlock<T>; ++k) {
      C x = Widen(y.v[k]);
      if (x <= C(kLimit) && x >= C(-kLimit)) continue;
      y.v[k] = T(C(DrawAgain(key, first + k)));
    }
    return y;
  }
};

struct Exponential {
  template <class T>
  static Drawn<T> Make(const RandomBlock& w, const RandomKey&, int64_t) {
    Drawn<T> y;
    if constexpr (std::is_same_v<T, double>) {
      for (int k = 0; k < 2; ++k) {
        // 1 - u is never 0.
        y.v[k] = NegativeLog(1 - UniformDouble(w[2 * k], w[2 * k + 1]));
      }
    } else {
      for (int k = 0; k < 4; ++k) y.v[k] = T(ExponentialFloat(w[k]));
    }
    return y;
  }
};

template <class Maker, class T>
inline void Draw(const RandomArgs& a) {
  constexpr int kCount = kPerBlock<T>;
  T* to = static_cast<T*>(a.to);
  int64_t blocks = (a.n + kCount - 1) / kCount;
  for (int64_t b = FirstThread(); b < blocks; b += AllThreads()) {
    int64_t first = b * kCount;
    Drawn<T> y = Maker::template Make<T>(RandomBits(a.key, b), a.key, first);
    for (int k = 0; k < kCount; ++k) {
      if (first + k < a.n) to[first + k] = y.v[k];
    }
  }
}

}  // namespace sluice
