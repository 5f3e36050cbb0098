// to[j * to_stride + i] = from[i * from_stride + j] for i < rows, j < columns:
// four by four in registers for floats, widening half types. Plain functions.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sluice::conv {

typedef float Float4 __attribute__((vector_size(16)));

inline void Transpose4(const float* from, int64_t from_stride, float* to,
                       int64_t to_stride) {
  Float4 r[4];
  for (int i = 0; i < 4; ++i) {
    std::memcpy(&r[i], from + i * from_stride, sizeof(Float4));
  }
  Float4 a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6);
  Float4 b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
  Float4 c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6);
  Float4 d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
  r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
  for (int i = 0; i < 4; ++i) {
    std::memcpy(to + i * to_stride, &r[i], sizeof(Float4));
  }
}

template <class T, class C>
void Transpose(const T* from, int64_t from_stride, int64_t rows,
               int64_t columns, C* to, int64_t to_stride) {
  // As many columns at a time as a cache line holds: lines are read once, and
  // the output stays in the first-level cache until its lines are full.
  constexpr int64_t kColumns = 16;
  while (columns > 0) {
    int64_t n = columns < kColumns ? columns : kColumns;
    int64_t i = 0;
    if constexpr (std::is_same_v<T, float>) {
      for (; i + 4 <= rows; i += 4) {
        const float* row = from + i * from_stride;
        float* out = to + i;
        int64_t j = 0;
        for (; j + 4 <= n; j += 4) {
          Transpose4(row + j, from_stride, out + j * to_stride, to_stride);
        }
        for (; j < n; ++j) {
          for (int64_t k = 0; k < 4; ++k) {
            out[j * to_stride + k] = row[k * from_stride + j];
          }
        }
      }
    }
    for (; i < rows; ++i) {
      const T* row = from + i * from_stride;
      for (int64_t j = 0; j < n; ++j) {
        to[j * to_stride + i] = static_cast<C>(row[j]);
      }
    }
    from += n;
    to += n * to_stride;
    columns -= n;
  }
}

}  // namespace sluice::conv
