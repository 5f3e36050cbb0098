// Panels for instructions that multiply several k at once: KU elements of one
// lane are adjacent (GemmKit, ku > 1). T is the matrix's element type, P that
// of the panel; the last group of k is filled with zeros. Plain functions; any
// thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace sluice::gemm {

// Groups of 8 lanes whose elements are contiguous in KU rows.
template <class P>
struct Lanes {
  static constexpr int kCount = 8;
  typedef P Vec __attribute__((vector_size(kCount * sizeof(P))));

  template <class T>
  static Vec Load(const T* from, int n) {
    P lanes[kCount] = {};
    for (int i = 0; i < n; ++i) lanes[i] = static_cast<P>(from[i]);
    Vec v;
    std::memcpy(&v, lanes, sizeof v);
    return v;
  }
  static Vec ZipLow(Vec a, Vec b) {
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  }
  static Vec ZipHigh(Vec a, Vec b) {
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  }
};

// Turns KU vectors of 8 lanes into 8 lanes of KU elements by log2(KU) perfect
// shuffles. Stores the first `lanes` of them.
template <int KU, class P>
void Interleave(typename Lanes<P>::Vec (&v)[KU], int lanes, P* to) {
  using L = Lanes<P>;
  for (int half = 1; half < KU; half *= 2) {
    typename L::Vec next[KU];
    for (int i = 0; i < KU / 2; ++i) {
      next[2 * i] = L::ZipLow(v[i], v[i + KU / 2]);
      next[2 * i + 1] = L::ZipHigh(v[i], v[i + KU / 2]);
    }
    for (int i = 0; i < KU; ++i) v[i] = next[i];
  }
  std::memcpy(to, v, static_cast<size_t>(lanes * KU) * sizeof(P));
}

template <int R, int KU, class T, class P>
void PackSideBySide(const T* from, int64_t stride, int lanes, int64_t k,
                    P* to) {
  using L = Lanes<P>;
  constexpr int kWhole = R / L::kCount * L::kCount;
  for (int64_t p = 0; p < k; p += KU, to += R * KU) {
    const int depth = static_cast<int>(std::min<int64_t>(KU, k - p));
    typename L::Vec v[KU];
    if (lanes == R && depth == KU) {
      for (int i = 0; i < kWhole; i += L::kCount) {
        for (int u = 0; u < KU; ++u) {
          v[u] = L::Load(from + (p + u) * stride + i, L::kCount);
        }
        Interleave<KU, P>(v, L::kCount, to + i * KU);
      }
      if constexpr (kWhole < R) {
        for (int u = 0; u < KU; ++u) {
          v[u] = L::Load(from + (p + u) * stride + kWhole, R - kWhole);
        }
        Interleave<KU, P>(v, R - kWhole, to + kWhole * KU);
      }
      continue;
    }
    for (int i = 0; i < R; ++i) {
      for (int u = 0; u < KU; ++u) {
        to[i * KU + u] = i < lanes && u < depth
                             ? static_cast<P>(from[(p + u) * stride + i])
                             : P(0);
      }
    }
  }
}

template <int R, int KU, class T, class P>
void PackGroupsAlongK(const T* from, int64_t stride, int lanes, int64_t k,
                      P* to) {
  const int64_t whole = k / KU * KU;
  for (int64_t p = 0; p < whole; p += KU) {
    for (int i = 0; i < lanes; ++i) {
      P group[KU];
      for (int u = 0; u < KU; ++u) {
        group[u] = static_cast<P>(from[i * stride + p + u]);
      }
      std::memcpy(to + p * R + i * KU, group, sizeof group);
    }
    for (int i = lanes * KU; i < R * KU; ++i) to[p * R + i] = P(0);
  }
  if (whole == k) return;
  for (int i = 0; i < R; ++i) {
    for (int u = 0; u < KU; ++u) {
      to[whole * R + i * KU + u] =
          i < lanes && whole + u < k
              ? static_cast<P>(from[i * stride + whole + u])
              : P(0);
    }
  }
}

// A GemmKit::Pack.
template <int R, int KU, class T, class P = T>
void PackGroups(const void* source, int64_t stride, bool along_k, int64_t lanes,
                int64_t k, void* to, int64_t panel_bytes) {
  const T* from = static_cast<const T*>(source);
  char* panel = static_cast<char*>(to);
  for (int64_t i = 0; i < lanes; i += R) {
    P* out = reinterpret_cast<P*>(panel + i / R * panel_bytes);
    int n = static_cast<int>(std::min<int64_t>(R, lanes - i));
    if (along_k) {
      PackGroupsAlongK<R, KU>(from + i * stride, stride, n, k, out);
    } else {
      PackSideBySide<R, KU>(from + i, stride, n, k, out);
    }
  }
}

}  // namespace sluice::gemm
