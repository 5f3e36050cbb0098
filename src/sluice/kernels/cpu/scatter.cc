#include "sluice/kernels/cpu/scatter.h"

#include <algorithm>
#include <bit>

#include "sluice/base/checked_math.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/cpu/scatter_formulas.h"
#include "sluice/tensor/copy_bytes.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

using namespace scatter_formulas;

namespace {

// One update: row `row` of the target takes row `from` of the updates.
struct Hit {
  int64_t row, from;
};
constexpr int64_t kBlock = 512;  // hits found before they are carried out
// Rows prefetched, into the second cache: see gather.cc.
constexpr int64_t kAhead = 16;
constexpr int64_t kLine = 64;
constexpr int64_t kPrefetchBytes = 512;
constexpr int64_t kTaskBytes = 64 << 10;
constexpr int64_t kCacheBytes = 16 << 20;
constexpr int64_t kWideRow = 4096;  // bytes from which columns are shared out

// The columns [first, first + n) of rows of `inner` elements.
struct Columns {
  int64_t inner, first, n;
};

template <class F, class T, class U>
struct Carry {
  // Two rows named one after the other may be the same row; within a row every
  // element stands for itself, which is all the vectoriser is promised.
  static void Run(T* target, const U* updates, const Hit* hits, int64_t n,
                  Columns c) {
    using C = Compute<T>;
    if (c.n == 1) {
      for (int64_t i = 0; i < n; ++i) {
        T& y = target[hits[i].row * c.inner + c.first];
        y = static_cast<T>(F::Apply(
            static_cast<C>(y),
            static_cast<C>(updates[hits[i].from * c.inner + c.first])));
      }
      return;
    }
    const int64_t fetch = std::min<int64_t>(
        c.n * static_cast<int64_t>(sizeof(T)), kPrefetchBytes);
    auto ask = [&](int64_t i) {
      auto* row = reinterpret_cast<const char*>(target + hits[i].row * c.inner +
                                                c.first);
      for (int64_t b = 0; b < fetch; b += kLine) {
        __builtin_prefetch(row + b, 1, 2);
      }
    };
    for (int64_t i = 0; i < std::min(kAhead, n); ++i) ask(i);
    for (int64_t i = 0; i < n; ++i) {
      if (i + kAhead < n) ask(i + kAhead);
      T* y = target + hits[i].row * c.inner + c.first;
      const U* u = updates + hits[i].from * c.inner + c.first;
      if constexpr (std::is_same_v<F, UpdateFn>) {
        CopyBytes(reinterpret_cast<char*>(y), reinterpret_cast<const char*>(u),
                  c.n * static_cast<int64_t>(sizeof(T)));
      } else {
        SL_VECTORIZE
        for (int64_t k = 0; k < c.n; ++k) {
          y[k] = static_cast<T>(
              F::Apply(static_cast<C>(y[k]), static_cast<C>(u[k])));
        }
      }
    }
  }
};

using CarryFn = void (*)(void*, const void*, const Hit*, int64_t, Columns);

template <class F, class T, class U = T>
void CarryOut(void* target, const void* updates, const Hit* hits, int64_t n,
              Columns c) {
  isa::Call<Carry<F, T, U>>(static_cast<T*>(target),
                            static_cast<const U*>(updates), hits, n, c);
}

template <class F>
CarryFn PickReal(const RowScatter& s) {
  CarryFn fn = nullptr;
  DispatchReals(s.dtype, [&]<class T>() { fn = &CarryOut<F, T>; });
  return fn;
}
template <class F>
CarryFn PickNumber(const RowScatter& s) {
  if (s.dtype == DType::kC64) return &CarryOut<F, complex64>;
  if (s.dtype == DType::kF32 && s.update_dtype == DType::kF16) {
    return &CarryOut<F, float, f16>;
  }
  if (s.dtype == DType::kF32 && s.update_dtype == DType::kBF16) {
    return &CarryOut<F, float, bf16>;
  }
  return PickReal<F>(s);
}

CarryFn Pick(const RowScatter& s) {
  CarryFn fn = nullptr;
  switch (s.op) {
    case ScatterOp::kUpdate:
      DispatchBySize(s.dtype, [&]<class T>() { fn = &CarryOut<UpdateFn, T>; });
      return fn;
    case ScatterOp::kAdd:
      return PickNumber<AddFn>(s);
    case ScatterOp::kSub:
      return PickNumber<SubFn>(s);
    case ScatterOp::kMul:
      return PickNumber<MulFn>(s);
    case ScatterOp::kMin:
      return PickReal<MinFn>(s);
    case ScatterOp::kMax:
      return PickReal<MaxFn>(s);
  }
  return fn;
}

// Which of `owners` threads may write a row. Rows of one cache line have one
// owner; neighbouring lines are spread, since popular rows tend to be near.
struct Owner {
  uint64_t owners, self;
  int shift;
  bool Has(int64_t row) const {
    uint64_t line = static_cast<uint64_t>(row) >> shift;
    uint64_t mixed = line * 0x9e3779b97f4a7c15u >> 32;
    return mixed * owners >> 32 == self;
  }
};

ScatterElementsFn ElementsOf(const RowScatter& s) {
  bool same = s.update_dtype == DType::kInvalid || s.update_dtype == s.dtype;
  return same ? PickScatterElements(s.op, s.dtype) : nullptr;
}

// Rows of one element need no list of hits: indices are places.
template <class I>
void ScatterSingles(const RowScatter& s, ScatterElementsFn put, char* target,
                    const I* index, const char* updates) {
  if constexpr (std::is_same_v<I, int64_t>) {
    return put(target, index, updates, s.count);
  }
  int64_t at[kBlock];
  for (int64_t begin = 0; begin < s.count; begin += kBlock) {
    int64_t n = std::min(kBlock, s.count - begin);
    std::copy_n(index + begin, n, at);
    put(target, at, updates + begin * DTypeSize(s.dtype), n);
  }
}

template <class I>
void ScatterOwned(const RowScatter& s, CarryFn carry, char* target,
                  const I* index, const char* updates, const Owner& owner,
                  const Columns& columns) {
  if (s.inner == 1 && owner.owners == 1 && !s.same_update && !s.skip_negative) {
    if (ScatterElementsFn put = ElementsOf(s)) {
      return ScatterSingles(s, put, target, index, updates);
    }
  }
  Hit hits[kBlock + 1];
  for (int64_t begin = 0; begin < s.count; begin += kBlock) {
    int64_t end = std::min(s.count, begin + kBlock), n = 0;
    // Every index is written down and only kept when it counts: a branch that
    // goes either way would cost more.
    for (int64_t i = begin; i < end; ++i) {
      int64_t row = index[i];
      hits[n] = {row, s.same_update ? 0 : i};
      n += row >= 0 && (owner.owners == 1 || owner.Has(row));
    }
    carry(target, updates, hits, n, columns);
  }
}

template <class I>
void Scatter(const RowScatter& s, CarryFn carry, char* target, const I* index,
             const char* updates, WorkerPool* pool) {
  int64_t size = DTypeSize(s.dtype), row_bytes = s.inner * size;
  int64_t slice_bytes = s.rows * row_bytes;
  int64_t work = s.count * row_bytes;
  int64_t update_bytes = s.count * s.inner * s.update_size();
  auto threads = static_cast<int64_t>(pool ? pool->parallelism() : 1);
  auto slice = [&](int64_t o, const Owner& owner, const Columns& columns) {
    ScatterOwned(s, carry, target + o * slice_bytes, index,
                 updates + (s.same_update ? 0 : o * update_bytes), owner,
                 columns);
  };
  const Owner everyone{1, 0, 0};
  // Single elements of a target that fits in a cache cost less than finding out
  // whose they are.
  if (s.inner == 1 && s.rows * size <= kCacheBytes) threads = 1;
  const Columns all{s.inner, 0, s.inner};
  if (threads == 1 || s.outer * work < 2 * kTaskBytes || s.outer >= threads) {
    int64_t grain = std::max<int64_t>(1, kTaskBytes / std::max(work, size));
    ParallelFor(pool, s.outer, grain, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) slice(o, everyone, all);
    });
    return;
  }
  // A few slices, each shared by all threads.
  bool by_columns =
      row_bytes >= kWideRow || (s.rows < 16 * threads && row_bytes >= 128);
  int64_t strip = AlignUp((s.inner + threads - 1) / threads,
                          std::max<int64_t>(1, kLine / size));
  int shift =
      row_bytes >= kLine
          ? 0
          : std::bit_width(static_cast<uint64_t>(kLine / row_bytes)) - 1;
  for (int64_t o = 0; o < s.outer; ++o) {
    ParallelFor(pool, threads, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        if (!by_columns) {
          slice(
              o,
              {static_cast<uint64_t>(threads), static_cast<uint64_t>(t), shift},
              all);
        } else if (t * strip < s.inner) {
          slice(o, everyone,
                {s.inner, t * strip, std::min(strip, s.inner - t * strip)});
        }
      }
    });
  }
}

}  // namespace

bool ScatterRows(const RowScatter& scatter, void* target, DType index_dtype,
                 const void* index, const void* updates, WorkerPool* pool) {
  CarryFn carry = Pick(scatter);
  if (!carry) return false;
  if (scatter.outer == 0 || scatter.inner == 0 || scatter.count == 0) {
    return true;
  }
  return DispatchIndex(index_dtype, [&]<class I>() {
    Scatter(scatter, carry, static_cast<char*>(target),
            static_cast<const I*>(index), static_cast<const char*>(updates),
            pool);
  });
}

}  // namespace sluice
