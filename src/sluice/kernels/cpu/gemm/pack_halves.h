// Panels of floats from half types: each piece is widened in a buffer of the
// same layout, then packed like any floats. Plain functions; any thread.
#pragma once

#include "sluice/kernels/cpu/gemm/halves.h"
#include "sluice/kernels/cpu/gemm/pack.h"

namespace sluice::gemm {

template <int R, class T>
void PackHalves(const void* source, int64_t stride, bool along_k, int64_t lanes,
                int64_t k, void* to, int64_t panel_bytes) {
  constexpr int64_t kPiece = 64;  // of k
  alignas(64) float wide[4 * R * kPiece];
  const T* from = static_cast<const T*>(source);
  char* panel = static_cast<char*>(to);
  for (int64_t i = 0; i < lanes; i += 4 * R) {
    const int64_t n = std::min<int64_t>(4 * R, lanes - i);
    for (int64_t p = 0; p < k; p += kPiece) {
      const int64_t depth = std::min(kPiece, k - p);
      if (along_k) {
        for (int64_t j = 0; j < n; ++j) {
          Widen(from + (i + j) * stride + p, depth, wide + j * kPiece);
        }
      } else {
        for (int64_t q = 0; q < depth; ++q) {
          Widen(from + (p + q) * stride + i, n, wide + q * 4 * R);
        }
      }
      Pack<R, float>(wide, along_k ? kPiece : 4 * R, along_k, n, depth,
                     panel + i / R * panel_bytes + p * R * 4, panel_bytes);
    }
  }
}

}  // namespace sluice::gemm
