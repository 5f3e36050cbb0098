#include "sluice/kernels/cpu/gemm.h"

#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/mul_add.h"
#include "sluice/tensor/half.h"

namespace sluice {

namespace {

// A tile of C stays in registers: kRows x kColumns accumulators fill about
// two thirds of the vector registers of the machine.
#if defined(__aarch64__)
constexpr int kRows = 6;
constexpr int kVectors = 4;  // of 16 bytes per row
#else
constexpr int kRows = 4;
constexpr int kVectors = 2;
#endif
template <class C>
constexpr int kColumns = kVectors * 16 / static_cast<int>(sizeof(C));
// A panel of B (kDepth x kColumns) lies in the first cache, a block of A
// (kBlockRows x kDepth) in the second.
constexpr int64_t kDepth = 256;
constexpr int64_t kBlockRows = 8 * kRows;

template <class C, class T>
C Widen(T v) {
  return static_cast<C>(v);
}

// Panel p of B, all k: packed[k][column], missing columns zero.
template <class T, class C>
void PackB(const GemmSize& s, GemmOperand<T> b, int64_t panel, C* to) {
  constexpr int N = kColumns<C>;
  int64_t first = panel * N;
  int64_t columns = std::min<int64_t>(N, s.n - first);
  for (int64_t k = 0; k < s.k; ++k) {
    C* row = to + k * N;
    if (b.transposed) {
      const T* from = b.data + first * b.stride + k;
      for (int64_t j = 0; j < columns; ++j) {
        row[j] = Widen<C>(from[j * b.stride]);
      }
    } else {
      const T* from = b.data + k * b.stride + first;
      for (int64_t j = 0; j < columns; ++j) row[j] = Widen<C>(from[j]);
    }
    for (int64_t j = columns; j < N; ++j) row[j] = C(0);
  }
}

// kRows rows of A, `depth` of k: packed[k][row], missing rows zero.
template <class T, class C>
void PackA(GemmOperand<T> a, int64_t first, int64_t rows, int64_t k0,
           int64_t depth, C* to) {
  for (int64_t i = 0; i < kRows; ++i) {
    if (i >= rows) {
      for (int64_t k = 0; k < depth; ++k) to[k * kRows + i] = C(0);
      continue;
    }
    const T* from = &a.at(first + i, k0);
    int64_t step = a.transposed ? a.stride : 1;
    for (int64_t k = 0; k < depth; ++k) {
      to[k * kRows + i] = Widen<C>(from[k * step]);
    }
  }
}

// A tile: out[kRows][kColumns] = (add ? out : 0) + a * b.
template <class C>
void Tile(const C* __restrict a, const C* __restrict b, int64_t depth,
          C* __restrict out, int64_t stride, int64_t rows, int64_t columns,
          bool add) {
  constexpr int N = kColumns<C>;
  C acc[kRows][N] = {};
  for (int64_t k = 0; k < depth; ++k) {
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < N; ++j) {
        acc[i][j] = MulAdd(a[k * kRows + i], b[k * N + j], acc[i][j]);
      }
    }
  }
  if (rows == kRows && columns == N) {
    for (int i = 0; i < kRows; ++i) {
      C* row = out + i * stride;
      for (int j = 0; j < N; ++j) row[j] = (add ? row[j] : C(0)) + acc[i][j];
    }
    return;
  }
  for (int64_t i = 0; i < rows; ++i) {
    C* row = out + i * stride;
    for (int64_t j = 0; j < columns; ++j) {
      row[j] = (add ? row[j] : C(0)) + acc[i][j];
    }
  }
}

// Rows [first, first + rows) of the result.
template <class T, class C>
void RowBlock(const GemmSize& s, GemmOperand<T> a, const C* packed,
              int64_t first, int64_t rows, C* out) {
  constexpr int N = kColumns<C>;
  alignas(64) C block[kBlockRows * kDepth];
  int64_t panels = (s.n + N - 1) / N;
  for (int64_t k0 = 0; k0 < s.k; k0 += kDepth) {
    int64_t depth = std::min(kDepth, s.k - k0);
    for (int64_t i = 0; i < rows; i += kRows) {
      PackA(a, first + i, std::min<int64_t>(kRows, rows - i), k0, depth,
            block + i * depth);
    }
    for (int64_t p = 0; p < panels; ++p) {
      const C* panel = packed + (p * s.k + k0) * N;
      int64_t columns = std::min<int64_t>(N, s.n - p * N);
      for (int64_t i = 0; i < rows; i += kRows) {
        Tile(block + i * depth, panel, depth, out + (first + i) * s.n + p * N,
             s.n, std::min<int64_t>(kRows, rows - i), columns, k0 > 0);
      }
    }
  }
}

bool HasFewRows(const GemmSize& s, bool b_transposed) {
  return s.m < kRows && !b_transposed;
}

// Few rows: packing B would cost more than the product. Rows of B are added up
// in strips that stay in the first cache.
template <class T, class C>
void FewRows(const GemmSize& s, GemmOperand<T> a, GemmOperand<T> b, C* out,
             WorkerPool* pool) {
  constexpr int64_t kStrip = 512;
  int64_t strips = (s.n + kStrip - 1) / kStrip;
  ParallelFor(pool, s.m * strips, 1, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      int64_t i = t / strips, first = t % strips * kStrip;
      int64_t n = std::min(kStrip, s.n - first);
      C sum[kStrip] = {};
      for (int64_t k = 0; k < s.k; ++k) {
        C v = Widen<C>(a.at(i, k));
        const T* row = b.data + k * b.stride + first;
        for (int64_t j = 0; j < n; ++j) {
          sum[j] = MulAdd(v, Widen<C>(row[j]), sum[j]);
        }
      }
      std::copy_n(sum, n, out + i * s.n + first);
    }
  });
}

}  // namespace

template <class C>
int64_t GemmPackedElements(const GemmSize& s, bool b_transposed) {
  if (HasFewRows(s, b_transposed)) return 0;
  constexpr int N = kColumns<C>;
  return (s.n + N - 1) / N * N * s.k;
}

template <class T, class C>
void Gemm(const GemmSize& s, GemmOperand<T> a, GemmOperand<T> b, C* out,
          C* packed, WorkerPool* pool) {
  if (s.m == 0 || s.n == 0) return;
  if (s.k == 0) {
    std::fill_n(out, s.m * s.n, C(0));
    return;
  }
  if (HasFewRows(s, b.transposed)) {
    FewRows<T, C>(s, a, b, out, pool);
    return;
  }
  constexpr int N = kColumns<C>;
  int64_t panels = (s.n + N - 1) / N;
  // Tasks of at least some 20 us each.
  int64_t pack_grain = std::max<int64_t>(1, (1 << 15) / (s.k * N));
  ParallelFor(pool, panels, pack_grain, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      PackB<T, C>(s, b, p, packed + p * s.k * N);
    }
  });
  int64_t blocks = (s.m + kBlockRows - 1) / kBlockRows;
  int64_t work = kBlockRows * s.n * s.k;
  int64_t grain = std::max<int64_t>(1, (1 << 20) / work);
  ParallelFor(pool, blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      RowBlock<T, C>(s, a, packed, i * kBlockRows,
                     std::min(kBlockRows, s.m - i * kBlockRows), out);
    }
  });
}

#define SL_GEMM(T, C)                                                       \
  template void Gemm<T, C>(const GemmSize&, GemmOperand<T>, GemmOperand<T>, \
                           C*, C*, WorkerPool*);
SL_GEMM(float, float)
SL_GEMM(double, double)
SL_GEMM(f16, float)
SL_GEMM(bf16, float)
SL_GEMM(int32_t, uint32_t)
SL_GEMM(int64_t, uint64_t)
#undef SL_GEMM
template int64_t GemmPackedElements<float>(const GemmSize&, bool);
template int64_t GemmPackedElements<double>(const GemmSize&, bool);
template int64_t GemmPackedElements<uint32_t>(const GemmSize&, bool);
template int64_t GemmPackedElements<uint64_t>(const GemmSize&, bool);

}  // namespace sluice
