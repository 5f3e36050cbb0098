// The operands of attention and of its gradient: sizes, the mapping from heads
// of q to heads of k and v, masks, and the tile that multiplies them. Plain
// values; any thread.
#pragma once

#include <algorithm>
#include <cmath>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/gemm/tile.h"
#include "sluice/op/kernel_context.h"
#include "sluice/tensor/strided.h"

namespace sluice::attention {

inline int64_t RoundUp(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

struct View {
  int64_t heads = 1, kv_heads = 1;        // over all axes before the last two
  int64_t inner_heads = 1, inner_kv = 1;  // of axis -3 alone
  int64_t queries, keys, depth, values;  // depth of q and k; values: depth of v

  View(const Shape& q, const Shape& k, const Shape& v) {
    int r = q.rank();
    for (int i = 0; i < r - 2; ++i) {
      heads *= q.dim(i);
      kv_heads *= k.dim(i);
    }
    if (r > 2) {
      inner_heads = q.dim(r - 3);
      inner_kv = k.dim(r - 3);
    }
    queries = q.dim(r - 2), depth = q.dim(r - 1);
    keys = k.dim(r - 2), values = v.dim(r - 1);
  }
  // The number of heads of q that share a head of k and v.
  int64_t shared() const { return inner_kv == 0 ? 1 : inner_heads / inner_kv; }
  int64_t KvHead(int64_t head) const {
    return head / inner_heads * inner_kv + head % inner_heads / shared();
  }
  // The first head of q that uses this head of k and v.
  int64_t FirstHead(int64_t kv) const {
    return kv / inner_kv * inner_heads + kv % inner_kv * shared();
  }
};

// Attribute "scale"; 0 selects the default.
inline double Scale(double given, int64_t depth) {
  if (given != 0 || depth == 0) return given;
  return 1 / std::sqrt(static_cast<double>(depth));
}

// The mask of one head: element (i, j) is at data + i * row + j * column.
class Mask {
 public:
  // `given` may be null: no mask.
  Mask(const Array* given, const Shape& q, const View& v) : given_(given) {
    if (!given) return;
    rank_ = q.rank();
    for (int i = 0; i < rank_ - 2; ++i) lead_[i] = q.dim(i);
    int64_t dims[kMaxRank];
    std::copy_n(q.dims().begin(), rank_, dims);
    dims[rank_ - 1] = v.keys;
    strides_ = BroadcastStrides(
        *given, *Shape::Make(Dims(dims, static_cast<size_t>(rank_))));
  }
  explicit operator bool() const { return given_ != nullptr; }
  bool boolean() const { return given_->dtype() == DType::kBool; }
  int64_t row() const { return strides_[static_cast<size_t>(rank_ - 2)]; }
  int64_t column() const { return strides_[static_cast<size_t>(rank_ - 1)]; }
  // The offset of element (0, 0) of head `head`, in elements.
  int64_t Offset(int64_t head) const {
    int64_t offset = 0;
    for (int i = rank_ - 3; i >= 0; --i) {
      offset += head % lead_[i] * strides_[static_cast<size_t>(i)];
      head /= lead_[i];
    }
    return offset;
  }
  // score += mask, or -infinity where the mask is false.
  template <class C>
  void Apply(int64_t at, C* score) const {
    if (boolean()) {
      if (!static_cast<const uint8_t*>(given_->raw())[at]) {
        *score = -std::numeric_limits<C>::infinity();
      }
    } else {
      *score += static_cast<C>(given_->data<float>()[at]);
    }
  }

 private:
  const Array* given_;
  int rank_ = 0;
  int64_t lead_[kMaxRank] = {};
  Strides strides_{};
};

// The product of packed panels, for floats and doubles.
template <class C>
struct Tile;
template <>
struct Tile<float> {
  const GemmTile& tile = F32Tile();
  int mr = tile.mr, nr = tile.nr;
  void Run(int64_t k, const float* a, const float* b, float* c, int64_t ldc,
           int64_t rows, int64_t columns, bool accumulate) const {
    RunTile(tile, k, a, b, c, ldc,
            static_cast<int>(std::min<int64_t>(rows, mr)),
            static_cast<int>(std::min<int64_t>(columns, nr)), accumulate);
  }
};
template <>
struct Tile<double> {
  static constexpr int mr = 4, nr = 8;
  void Run(int64_t k, const double* a, const double* b, double* c, int64_t ldc,
           int64_t rows, int64_t columns, bool accumulate) const {
    double s[mr][nr] = {};
    for (int64_t p = 0; p < k; ++p) {
      for (int i = 0; i < mr; ++i) {
        for (int j = 0; j < nr; ++j) s[i][j] += a[p * mr + i] * b[p * nr + j];
      }
    }
    for (int i = 0; i < mr && i < rows; ++i) {
      for (int j = 0; j < nr && j < columns; ++j) {
        double& to = c[i * ldc + j];
        to = accumulate ? to + s[i][j] : s[i][j];
      }
    }
  }
};

typedef float Float4 __attribute__((vector_size(16)));

// A 4 x 4 transpose of floats: to[j][i] = from[i][j] * by.
SL_INLINE void Turn4(const float* from, int64_t from_stride, Float4 by,
                     float* to, int64_t to_stride) {
  Float4 r[4];
  for (int i = 0; i < 4; ++i)
    __builtin_memcpy(&r[i], from + i * from_stride, 16);
  Float4 t0 = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6);
  Float4 t1 = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
  Float4 t2 = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6);
  Float4 t3 = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
  r[0] = __builtin_shufflevector(t0, t2, 0, 1, 4, 5);
  r[1] = __builtin_shufflevector(t1, t3, 0, 1, 4, 5);
  r[2] = __builtin_shufflevector(t0, t2, 2, 3, 6, 7);
  r[3] = __builtin_shufflevector(t1, t3, 2, 3, 6, 7);
  for (int i = 0; i < 4; ++i) {
    r[i] *= by;
    __builtin_memcpy(to + i * to_stride, &r[i], 16);
  }
}

// Packs rows of x (stride apart, n long) as one panel of `lanes` rows, zeros
// for missing rows: to[p * lanes + i] = x[i][p] * scale.
template <class T, class C>
void PackRows(const T* x, int64_t stride, int64_t rows, int64_t n, int lanes,
              C scale, C* to) {
  int64_t i = 0;
  if constexpr (std::is_same_v<T, float>) {
    Float4 by = Float4{} + scale;
    for (; i + 4 <= rows && i + 4 <= lanes; i += 4) {
      int64_t p = 0;
      for (; p + 4 <= n; p += 4) {
        Turn4(x + i * stride + p, stride, by, to + p * lanes + i, lanes);
      }
      for (; p < n; ++p) {
        for (int64_t k = i; k < i + 4; ++k) {
          to[p * lanes + k] = x[k * stride + p] * scale;
        }
      }
    }
  }
  for (; i < lanes; ++i) {
    for (int64_t p = 0; p < n; ++p) {
      to[p * lanes + i] =
          i < rows ? static_cast<C>(x[i * stride + p]) * scale : C(0);
    }
  }
}
// The reverse: y[j][i] = x[i * stride + j] * by[j] for i < n, j < rows.
template <class T, class C>
void Turn(const C* x, int64_t stride, int64_t n, int64_t rows, const C* by,
          T* y) {
  int64_t j = 0;
  if constexpr (std::is_same_v<T, float>) {
    const Float4 one = Float4{} + 1.0f;
    for (; j + 4 <= rows; j += 4) {
      int64_t i = 0;
      for (; i + 4 <= n; i += 4) {
        Turn4(x + i * stride + j, stride, one, y + j * n + i, n);
      }
      for (; i < n; ++i) {
        for (int64_t k = j; k < j + 4; ++k) y[k * n + i] = x[i * stride + k];
      }
      for (int64_t k = j; k < j + 4; ++k) {
        SL_VECTORIZE
        for (i = 0; i < n; ++i) y[k * n + i] *= by[k];
      }
    }
  }
  for (; j < rows; ++j) {
    for (int64_t i = 0; i < n; ++i) {
      y[j * n + i] = static_cast<T>(x[i * stride + j] * by[j]);
    }
  }
}
// Packs columns [first, first + lanes) of x's rows as one panel, zeros beyond
// `columns`: to[p * lanes + i] = x[p][first + i].
template <class T, class C>
void PackColumns(const T* x, int64_t stride, int64_t rows, int64_t first,
                 int64_t columns, int lanes, C* to) {
  int64_t some = std::min<int64_t>(lanes, columns - first);
  for (int64_t p = 0; p < rows; ++p, to += lanes) {
    const T* from = x + p * stride + first;
    for (int64_t i = 0; i < some; ++i) to[i] = static_cast<C>(from[i]);
    for (int64_t i = some; i < lanes; ++i) to[i] = C(0);
  }
}

}  // namespace sluice::attention
