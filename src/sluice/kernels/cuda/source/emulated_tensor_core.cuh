// Tensor cores of the emulated GPU: the functions that source/tensor_core.cuh
// has in PTX. Products are summed one after another in float, where a real GPU
// may round differently; copies are complete when started.
#pragma once

#include "sluice/cuda/elementwise.cuh"

namespace sluice {

// Values that the lanes of a warp exchange. Only one block runs at a time.
struct ShownByLane {
  const unsigned char* row;
  float a[4][2], b[2][2];
};
inline ShownByLane* ShownByWarp() {
  static ShownByLane shown[32][32];
  return shown[sl_warp::Thread() / 32];
}

template <bool turned>
inline void LoadMatrices(uint32_t (&r)[4], const void* row) {
  ShownByLane* lanes = ShownByWarp();
  int g = sl_warp::Lane() / 4, t = sl_warp::Lane() % 4;
  lanes[sl_warp::Lane()].row = static_cast<const unsigned char*>(row);
  __syncwarp();
  for (int k = 0; k < 4; ++k) {
    const ShownByLane* rows = lanes + 8 * k;
    uint16_t pair[2];
    for (int i = 0; i < 2; ++i) {
      const unsigned char* at =
          turned ? rows[2 * t + i].row + 2 * g : rows[g].row + 2 * (2 * t + i);
      __builtin_memcpy(&pair[i], at, 2);
    }
    r[k] = pair[0] | uint32_t(pair[1]) << 16;
  }
  __syncwarp();
}

template <class T>
inline void ShowPair(float (&to)[2], uint32_t pair) {
  for (int i = 0; i < 2; ++i) {
    to[i] = float(FromBits<T>(uint16_t(pair >> (16 * i))));
  }
}

template <class T>
inline void MultiplyAdd16x8(float (&c)[4], const uint32_t (&a)[4], uint32_t b0,
                            uint32_t b1) {
  ShownByLane* lanes = ShownByWarp();
  int g = sl_warp::Lane() / 4, t = sl_warp::Lane() % 4;
  ShownByLane& own = lanes[sl_warp::Lane()];
  for (int i = 0; i < 4; ++i) ShowPair<T>(own.a[i], a[i]);
  ShowPair<T>(own.b[0], b0);
  ShowPair<T>(own.b[1], b1);
  __syncwarp();
  for (int i = 0; i < 4; ++i) {
    int below = i / 2, column = 2 * t + i % 2;  // row g + 8 * below
    for (int k = 0; k < 16; ++k) {
      int behind = k / 8, from = k % 8 / 2;
      c[i] += lanes[4 * g + from].a[below + 2 * behind][k % 2] *
              lanes[4 * column + from].b[behind][k % 2];
    }
  }
  __syncwarp();
}

template <class T>
inline uint32_t PairOfHalves(float first, float second) {
  return T(first).bits | uint32_t(T(second).bits) << 16;
}
inline float FastExp2(float x) { return exp2f(x); }

template <int kBytes>
inline void StartCopy(void* to, const void* from, bool there) {
  auto* bytes = static_cast<unsigned char*>(to);
  for (int i = 0; i < kBytes; ++i) {
    bytes[i] = there ? static_cast<const unsigned char*>(from)[i] : 0;
  }
}
inline void WaitForCopies() {}

}  // namespace sluice
