#include "sluice/kernels/cpu/einsum/strided_sum.h"

#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/elementwise.h"

namespace sluice {

namespace {

// Counts through axes, the last fastest, keeping two offsets.
struct Counter {
  const SumAxis* axes;
  int count;
  int64_t index[kMaxSumAxes] = {};
  int64_t from = 0, to = 0;

  void Seek(int64_t position) {
    from = to = 0;
    for (int i = count - 1; i >= 0; --i) {
      index[i] = position % axes[i].dim;
      position /= axes[i].dim;
      from += index[i] * axes[i].from;
      to += index[i] * axes[i].to;
    }
  }
  void Next() {
    for (int i = count - 1; i >= 0; --i) {
      from += axes[i].from, to += axes[i].to;
      if (++index[i] < axes[i].dim) return;
      from -= axes[i].dim * axes[i].from;
      to -= axes[i].dim * axes[i].to;
      index[i] = 0;
    }
  }
};

int64_t Product(const SumAxis* axes, int count) {
  int64_t n = 1;
  for (int i = 0; i < count; ++i) n *= axes[i].dim;
  return n;
}

bool AnyZero(const SumAxis* axes, int count) {
  return std::any_of(axes, axes + count,
                     [](const SumAxis& a) { return a.dim == 0; });
}

template <class T>
void Run(const T* x, const SumAxis* kept, int num_kept, const SumAxis* summed,
         int num_summed, T* y, WorkerPool* pool) {
  using C = Compute<T>;
  // The last kept axis is the inner loop.
  const SumAxis one = {1, 0, 0};
  const SumAxis inner = num_kept > 0 ? kept[num_kept - 1] : one;
  const int outer_axes = std::max(0, num_kept - 1);
  const int64_t outer = Product(kept, outer_axes);
  const bool none = AnyZero(summed, num_summed);
  const int64_t terms = none ? 0 : Product(summed, num_summed);
  const double work = static_cast<double>(inner.dim) *
                      static_cast<double>(std::max<int64_t>(1, terms));
  const int64_t grain =
      static_cast<int64_t>(std::clamp(32768 / work, 1.0, 1e6));
  ParallelFor(pool, outer, grain, [&](int64_t begin, int64_t end) {
    Counter row{kept, outer_axes};
    row.Seek(begin);
    for (int64_t o = begin; o < end; ++o, row.Next()) {
      const T* from = x + row.from;
      T* to = y + row.to;
      if (terms == 1) {
        for (int64_t i = 0; i < inner.dim; ++i) {
          to[i * inner.to] = from[i * inner.from];
        }
        continue;
      }
      for (int64_t i = 0; i < inner.dim; ++i) {
        Counter term{summed, num_summed};
        C sum = C(0);
        for (int64_t t = 0; t < terms; ++t, term.Next()) {
          sum = sum + static_cast<C>(from[i * inner.from + term.from]);
        }
        to[i * inner.to] = static_cast<T>(sum);
      }
    }
  });
}

}  // namespace

void StridedSum(DType dtype, const void* x, const SumAxis* kept, int num_kept,
                const SumAxis* summed, int num_summed, void* y,
                WorkerPool* pool) {
  if (AnyZero(kept, num_kept)) return;
  auto run = [&]<class T>(T) {
    Run(static_cast<const T*>(x), kept, num_kept, summed, num_summed,
        static_cast<T*>(y), pool);
  };
  switch (dtype) {
    case DType::kF64:
      return run(double());
    case DType::kF16:
      return run(f16());
    case DType::kBF16:
      return run(bf16());
    case DType::kI32:
      return run(uint32_t());
    case DType::kI64:
      return run(uint64_t());
    default:
      return run(float());
  }
}

}  // namespace sluice
