#include "sluice/kernels/cpu/gemm/gemm.h"

#include <algorithm>
#include <type_traits>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/gemm/dot_rows.h"
#include "sluice/kernels/cpu/gemm/few_rows.h"
#include "sluice/kernels/cpu/gemm/kit.h"
#include "sluice/kernels/cpu/gemm/long_sums.h"
#include "sluice/kernels/cpu/gemm/small.h"
#include "sluice/tensor/half.h"

namespace sluice {

namespace {

// Some 10 us of multiplications; some 50 us of reading from memory.
constexpr int64_t kTaskWork = 700'000, kTaskReads = 1 << 20;

// C is a row or a column and the matrix is row-major: inner products. `row`
// tells which of the two C is.
template <class T, class S>
void Dots(const GemmArgs& g, bool row, WorkerPool* pool) {
  const GemmMatrix& vector = row ? g.a : g.b;
  const GemmMatrix& matrix = row ? g.b : g.a;
  const int64_t count = row ? g.n : g.m, step = row ? 1 : g.ldc;
  // An even division into tasks that are neither tiny nor the whole.
  const int64_t threads = pool ? pool->parallelism() : 1;
  const int64_t most = std::max<int64_t>(1, kTaskReads / g.k);
  const int64_t least = std::max<int64_t>(1, (1 << 15) / g.k);
  const int64_t grain = std::clamp((count + 2 * threads - 1) / (2 * threads),
                                   least, std::max(least, most));
  ParallelFor(pool, count, grain, [&](int64_t begin, int64_t end) {
    constexpr int64_t kRun = 1024;
    S sums[kRun];
    for (int64_t j = begin; j < end; j += kRun) {
      int64_t n = std::min(kRun, end - j);
      DotRows<T, S>(static_cast<const T*>(vector.data),
                    static_cast<const T*>(matrix.data) + j * matrix.stride,
                    matrix.stride, n, g.k, sums);
      T* c = static_cast<T*>(g.c);
      for (int64_t i = 0; i < n; ++i) {
        c[(j + i) * step] = static_cast<T>(sums[i]);
      }
    }
    if (row) {
      g.done(0, 1, begin, end - begin);
    } else {
      g.done(begin, end - begin, 0, 1);
    }
  });
}

// Products of a vector and a matrix; false if this is none, or an odd one.
template <class T, class S>
bool VectorGemm(const GemmArgs& g, WorkerPool* pool) {
  bool a_dense = g.m == 1 && (!g.a.transposed || g.a.stride == 1);
  bool b_dense = g.n == 1 && (g.b.transposed || g.b.stride == 1);
  if (g.m == 1 && g.b.transposed && a_dense) {
    Dots<T, S>(g, true, pool);
    return true;
  }
  if (g.n == 1 && !g.a.transposed && b_dense) {
    Dots<T, S>(g, false, pool);
    return true;
  }
  if (g.n == 1 && g.a.transposed && g.ldc == 1) {
    // C's transpose is B's transpose, one row, times A in its storage order.
    struct Turned {
      const GemmDone& done;
    } turned{g.done};
    GemmArgs t{.m = 1,
               .n = g.m,
               .k = g.k,
               .a = {g.b.data, g.b.stride, !g.b.transposed},
               .b = {g.a.data, g.a.stride, false},
               .c = g.c,
               .ldc = g.m};
    if (g.done.call) {
      t.done = {[](const void* context, int64_t, int64_t, int64_t column,
                   int64_t columns) {
                  static_cast<const Turned*>(context)->done(column, columns, 0,
                                                            1);
                },
                &turned};
    }
    FewRowsGemm<T, S>(t, pool);
    return true;
  }
  return false;
}

bool HasFewRows(const GemmArgs& g) {
  return g.m <= kFewRows && !g.b.transposed && g.n >= 64;
}

template <class T, class S>
bool Special(const GemmArgs& g, WorkerPool* pool) {
  if (VectorGemm<T, S>(g, pool)) return true;
  // Types with faster tiles, or slower loops, gain while rows are very few.
  constexpr int64_t kRows = std::is_same_v<T, float> ? kFewRows : 4;
  if (!HasFewRows(g) || g.m > kRows) return false;
  FewRowsGemm<T, S>(g, pool);
  return true;
}

// Many rows times a small B: each task processes some of the rows.
bool SmallRows(const GemmArgs& g, WorkerPool* pool) {
  if (!IsSmallGemm(g)) return false;
  int64_t grain = std::max<int64_t>(8, kTaskWork / (g.n * g.k) / 8 * 8);
  ParallelFor(pool, g.m, grain, [&](int64_t begin, int64_t end) {
    SmallGemm(g, begin, end);
    g.done(begin, end - begin, 0, g.n);
  });
  return true;
}

template <class T>
void Zero(const GemmArgs& g) {
  for (int64_t i = 0; i < g.m; ++i) {
    std::fill_n(static_cast<T*>(g.c) + i * g.ldc, g.n, T());
  }
  g.done(0, g.m, 0, g.n);
}

}  // namespace

int64_t GemmWorkspace(GemmType type, int64_t m, int64_t n, int64_t k) {
  if (m <= 0 || n <= 0 || k <= 0) return 0;
  if (type == GemmType::kF32 && k > kLongSum) return 0;
  return PackedWorkspace(KitFor(type), m, n, k);
}

void Gemm(GemmType type, const GemmArgs& g, WorkerPool* pool, void* workspace) {
  if (g.m <= 0 || g.n <= 0) return;
  const GemmKit& kit = KitFor(type);
  if (g.k <= 0) {
    return kit.out_bytes == 8   ? Zero<uint64_t>(g)
           : kit.out_bytes == 4 ? Zero<uint32_t>(g)
                                : Zero<uint16_t>(g);
  }
  if (type == GemmType::kF32 && g.k > kLongSum) return LongSumGemm(g, pool);
  bool done = false;
  switch (type) {
    case GemmType::kF32:
      done = (g.m > 1 && g.n > 1 && SmallRows(g, pool)) ||
             Special<float, float>(g, pool);
      break;
    case GemmType::kF64:
      done = Special<double, double>(g, pool);
      break;
    case GemmType::kF16:
      done = Special<f16, float>(g, pool);
      break;
    case GemmType::kBF16:
      done = Special<bf16, float>(g, pool);
      break;
    case GemmType::kI32:
      done = Special<uint32_t, uint32_t>(g, pool);
      break;
    case GemmType::kI64:
      done = Special<uint64_t, uint64_t>(g, pool);
      break;
    case GemmType::kS8:
    case GemmType::kU8S8:
      break;
  }
  if (!done) PackedGemm(kit, g, workspace, pool);
}

}  // namespace sluice
