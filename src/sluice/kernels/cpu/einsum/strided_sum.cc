#include "sluice/kernels/cpu/einsum/strided_sum.h"

#include <algorithm>
#include <type_traits>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/elementwise.h"

namespace sluice {

namespace {

// Iterates over axes, the last one fastest, with two offsets.
class Counter {
 public:
  int64_t from = 0, to = 0;

  Counter(const SumAxis* a, int n) : axes_(a), count_(n) {
    std::fill_n(index_, n, 0);
  }
  void Seek(int64_t position) {
    from = to = 0;
    for (int i = count_ - 1; i >= 0; --i) {
      index_[i] = position % axes_[i].dim;
      position /= axes_[i].dim;
      from += index_[i] * axes_[i].from;
      to += index_[i] * axes_[i].to;
    }
  }
  // The first position follows the last.
  void Next() {
    for (int i = count_ - 1; i >= 0; --i) {
      from += axes_[i].from, to += axes_[i].to;
      if (++index_[i] < axes_[i].dim) return;
      from -= axes_[i].dim * axes_[i].from;
      to -= axes_[i].dim * axes_[i].to;
      index_[i] = 0;
    }
  }

 private:
  const SumAxis* axes_;
  int count_;
  int64_t index_[kMaxSumAxes];
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
  // Long sums element by element: in double, unless wrapping.
  using C = std::conditional_t<std::is_integral_v<T>, T, double>;
  // The last kept axis is the inner loop.
  const SumAxis one = {1, 0, 0};
  const SumAxis inner = num_kept > 0 ? kept[num_kept - 1] : one;
  const int outer_axes = std::max(0, num_kept - 1);
  const int64_t outer = Product(kept, outer_axes);
  // Inside it is the last summed axis.
  const SumAxis last = num_summed > 0 ? summed[num_summed - 1] : one;
  const int term_axes = std::max(0, num_summed - 1);
  const int64_t terms =
      AnyZero(summed, num_summed) ? 0 : Product(summed, term_axes);
  const double work = static_cast<double>(inner.dim) *
                      static_cast<double>(std::max<int64_t>(1, terms)) *
                      static_cast<double>(std::max<int64_t>(1, last.dim));
  const int64_t grain =
      static_cast<int64_t>(std::clamp(32768 / work, 1.0, 1e6));
  ParallelFor(pool, outer, grain, [&](int64_t begin, int64_t end) {
    Counter row(kept, outer_axes), term(summed, term_axes);
    row.Seek(begin);
    for (int64_t o = begin; o < end; ++o, row.Next()) {
      const T* from = x + row.from;
      T* to = y + row.to;
      if (num_summed == 0) {
        for (int64_t i = 0; i < inner.dim; ++i) {
          to[i * inner.to] = from[i * inner.from];
        }
        continue;
      }
      for (int64_t i = 0; i < inner.dim; ++i) {
        C sum = C(0);
        for (int64_t t = 0; t < terms; ++t, term.Next()) {
          const T* x0 = from + i * inner.from + term.from;
          for (int64_t q = 0; q < last.dim; ++q) {
            sum = sum +
                  static_cast<C>(static_cast<Compute<T>>(x0[q * last.from]));
          }
        }
        to[i * inner.to] = static_cast<T>(static_cast<Compute<T>>(sum));
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
