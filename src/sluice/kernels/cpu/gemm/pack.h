// Packs panels of A and B in the layout of GemmKit, for tiles with compile-time
// sizes. Plain functions; any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sluice::gemm {

// Panels of R lanes, one k after another (ku == 1), element by element.
template <int R, class T, class P>
void PackPanel(const T* from, int64_t stride, bool along_k, int lanes,
               int64_t k, P* to) {
  if (along_k) {
    for (int i = 0; i < R; ++i) {
      for (int64_t p = 0; p < k; ++p) {
        to[p * R + i] = i < lanes ? static_cast<P>(from[i * stride + p]) : P(0);
      }
    }
    return;
  }
  for (int64_t p = 0; p < k; ++p, from += stride, to += R) {
    for (int i = 0; i < lanes; ++i) to[i] = static_cast<P>(from[i]);
    for (int i = lanes; i < R; ++i) to[i] = P(0);
  }
}

// Whole panels with contiguous lanes. Rows are read in pieces of several
// panels: a piece of one panel is shorter than a cache line, and rows a power
// of two apart evict each other from the cache.
template <int R, int kPanels, class T, class P>
void PackWide(const T* from, int64_t stride, int64_t k, P* to,
              int64_t panel_bytes) {
  P* panel[kPanels];
  for (int q = 0; q < kPanels; ++q) {
    panel[q] =
        reinterpret_cast<P*>(reinterpret_cast<char*>(to) + q * panel_bytes);
  }
  for (int64_t p = 0; p < k; ++p, from += stride) {
    for (int q = 0; q < kPanels; ++q) {
      // Through a copy, so that the compiler need not check whether panels
      // overlap the source.
      P row[R];
      if constexpr (std::is_same_v<T, P>) {
        std::memcpy(row, from + q * R, sizeof row);
      } else {
        for (int i = 0; i < R; ++i) row[i] = static_cast<P>(from[q * R + i]);
      }
      std::memcpy(panel[q] + p * R, row, sizeof row);
    }
  }
}

typedef float Float4 __attribute__((vector_size(16)));

inline Float4 LoadFloat4(const float* p) {
  Float4 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void StoreFloat4(float* p, Float4 v) { std::memcpy(p, &v, sizeof v); }

// to[j * to_stride + i] = from[i * from_stride + j] for i, j < 4.
inline void Transpose4(const float* from, int64_t from_stride, float* to,
                       int64_t to_stride) {
  Float4 r0 = LoadFloat4(from), r1 = LoadFloat4(from + from_stride);
  Float4 r2 = LoadFloat4(from + 2 * from_stride);
  Float4 r3 = LoadFloat4(from + 3 * from_stride);
  Float4 t0 = __builtin_shufflevector(r0, r1, 0, 4, 2, 6);
  Float4 t1 = __builtin_shufflevector(r0, r1, 1, 5, 3, 7);
  Float4 t2 = __builtin_shufflevector(r2, r3, 0, 4, 2, 6);
  Float4 t3 = __builtin_shufflevector(r2, r3, 1, 5, 3, 7);
  StoreFloat4(to, __builtin_shufflevector(t0, t2, 0, 1, 4, 5));
  StoreFloat4(to + to_stride, __builtin_shufflevector(t1, t3, 0, 1, 4, 5));
  StoreFloat4(to + 2 * to_stride, __builtin_shufflevector(t0, t2, 2, 3, 6, 7));
  StoreFloat4(to + 3 * to_stride, __builtin_shufflevector(t1, t3, 2, 3, 6, 7));
}

// PackPanel for floats contiguous along k, four by four.
template <int R>
void PackAlongK(const float* from, int64_t stride, int lanes, int64_t k,
                float* to) {
  const int whole = lanes / 4 * 4;
  int64_t p = 0;
  for (; p + 4 <= k; p += 4) {
    for (int i = 0; i < whole; i += 4) {
      Transpose4(from + i * stride + p, stride, to + p * R + i, R);
    }
  }
  for (; p < k; ++p) {
    for (int i = 0; i < whole; ++i) to[p * R + i] = from[i * stride + p];
  }
  for (int i = whole; i < R; ++i) {
    for (p = 0; p < k; ++p) {
      to[p * R + i] = i < lanes ? from[i * stride + p] : 0.0f;
    }
  }
}

// A GemmKit::Pack for elements T packed as P with ku == 1.
template <int R, class T, class P = T>
void Pack(const void* source, int64_t stride, bool along_k, int64_t lanes,
          int64_t k, void* to, int64_t panel_bytes) {
  constexpr int kWide = 4;
  const T* from = static_cast<const T*>(source);
  char* panel = static_cast<char*>(to);
  for (int64_t i = 0; i < lanes;) {
    P* out = reinterpret_cast<P*>(panel + i / R * panel_bytes);
    if (!along_k && lanes - i >= kWide * R) {
      PackWide<R, kWide>(from + i, stride, k, out, panel_bytes);
      i += kWide * R;
      continue;
    }
    int n = static_cast<int>(std::min<int64_t>(R, lanes - i));
    if (!along_k && n == R) {
      PackWide<R, 1>(from + i, stride, k, out, panel_bytes);
    } else if (std::is_same_v<T, float> && std::is_same_v<P, float> &&
               along_k) {
      PackAlongK<R>(reinterpret_cast<const float*>(from + i * stride), stride,
                    n, k, reinterpret_cast<float*>(out));
    } else {
      PackPanel<R>(from + (along_k ? i * stride : i), stride, along_k, n, k,
                   out);
    }
    i += R;
  }
}

}  // namespace sluice::gemm
