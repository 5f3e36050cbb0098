#include "sluice/kernels/cpu/scatter.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "sluice/base/checked_math.h"
#include "sluice/kernels/cpu/ask_for_row.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/indices.h"
#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/cpu/scatter_formulas.h"
#include "sluice/tensor/copy_bytes.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

using namespace scatter_formulas;

namespace {

// Updates of rows: number i changes row row[i] of the target and uses row
// from[i] of the updates; or, without such a list, row first + i * step.
struct Hits {
  const int64_t *row, *from;
  int64_t first, step, n;
  int64_t asked = 0;  // the number of target rows already prefetched
  int64_t From(int64_t i) const { return from ? from[i] : first + i * step; }
};
constexpr int64_t kBlock = 512;  // hits found before they are carried out
// In flight at once: this many rows, and more if they are short.
constexpr int64_t kAhead = 16, kMostAhead = 64;
constexpr int64_t kAheadBytes = 4096;
constexpr int64_t kTaskBytes = 64 << 10;
constexpr int64_t kCacheBytes = 16 << 20;
// Bytes from which columns are shared out: of the row, or of a thread's strip.
constexpr int64_t kWideRow = 4096, kWideStrip = 128;
// Up to this many indices each thread checks all of them itself: that takes as
// long as for a single thread, and nobody waits for another.
constexpr int64_t kCheckedByEach = 1 << 14;

// The columns [first, first + n) of rows of `inner` elements.
struct Columns {
  int64_t inner, first, n;
};

template <class F, class T, class U>
struct Carry {
  using C = Compute<T>;

  // Consecutive rows may be the same row; within a row elements are
  // independent, and updates are in other memory.
  static SL_INLINE void Row(T* __restrict y, const U* __restrict u, int64_t n) {
    if constexpr (std::is_same_v<F, UpdateFn>) {
      CopyBytes(reinterpret_cast<char*>(y), reinterpret_cast<const char*>(u),
                n * static_cast<int64_t>(sizeof(T)));
    } else {
      SL_VECTORIZE
      for (int64_t k = 0; k < n; ++k) {
        y[k] = static_cast<T>(
            F::Apply(static_cast<C>(y[k]), static_cast<C>(u[k])));
      }
    }
  }

  // kWidth: the columns, if known at compile time; else 0.
  template <int64_t kWidth>
  static SL_INLINE void Rows(T* target, const U* updates, const Hits& hits,
                             const Columns& c) {
    const int64_t n = hits.n, width = kWidth ? kWidth : c.n;
    const int64_t bytes = width * static_cast<int64_t>(sizeof(T));
    const int64_t ahead = std::clamp(kAheadBytes / bytes, kAhead, kMostAhead);
    auto ask = [&](int64_t i) {
      AskForRow<true>(reinterpret_cast<const char*>(
                          target + hits.row[i] * c.inner + c.first),
                      bytes);
    };
    for (int64_t i = hits.asked; i < std::min(ahead, n); ++i) ask(i);
    for (int64_t i = 0; i < n; ++i) {
      if (i + ahead < n) ask(i + ahead);
      Row(target + hits.row[i] * c.inner + c.first,
          updates + hits.From(i) * c.inner + c.first, width);
    }
  }

  static void Run(T* target, const U* updates, Hits hits, Columns c) {
    if (c.n == 1) {
      for (int64_t i = 0; i < hits.n; ++i) {
        T& y = target[hits.row[i] * c.inner + c.first];
        y = static_cast<T>(F::Apply(
            static_cast<C>(y),
            static_cast<C>(updates[hits.From(i) * c.inner + c.first])));
      }
      return;
    }
    if constexpr (std::is_same_v<T, float>) {
      // Common embedding widths, and half of each: a loop over a few vectors
      // costs more than its body.
      if (c.n == 32) return Rows<32>(target, updates, hits, c);
      if (c.n == 64) return Rows<64>(target, updates, hits, c);
    }
    Rows<0>(target, updates, hits, c);
  }
};

using CarryFn = void (*)(void*, const void*, const Hits&, Columns);

template <class F, class T, class U = T>
void CarryOut(void* target, const void* updates, const Hits& hits, Columns c) {
  isa::Call<Carry<F, T, U>>(static_cast<T*>(target),
                            static_cast<const U*>(updates), hits, c);
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

// The one of `owners` threads that may write a row. Rows of one cache line have
// one owner; neighbouring lines are spread, since popular rows tend to be
// adjacent.
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
                  const Columns& columns, int64_t asked) {
  if (s.inner == 1 && owner.owners == 1 && !s.same_update && !s.skip_negative) {
    if (ScatterElementsFn put = ElementsOf(s)) {
      return ScatterSingles(s, put, target, index, updates);
    }
  }
  const int64_t step = s.same_update ? 0 : 1;
  if constexpr (std::is_same_v<I, int64_t>) {
    if (owner.owners == 1 && !s.skip_negative) {
      return carry(target, updates, {index, nullptr, 0, step, s.count, asked},
                   columns);
    }
  }
  int64_t rows[kBlock + 1], from[kBlock + 1];
  for (int64_t begin = 0; begin < s.count; begin += kBlock) {
    int64_t end = std::min(s.count, begin + kBlock), n = 0;
    // Every index is stored but only kept if it counts: an unpredictable branch
    // would cost more.
    for (int64_t i = begin; i < end; ++i) {
      int64_t row = index[i];
      rows[n] = row;
      from[n] = i * step;
      n += row >= 0 && (owner.owners == 1 || owner.Has(row));
    }
    carry(target, updates, {rows, from, 0, 0, n}, columns);
  }
}

// Like FirstOutside, and prefetches the first rows: the indices come from
// memory themselves, and the rows arrive meanwhile.
template <class I>
int64_t CheckAndAsk(const RowScatter& s, const char* target, const I* index,
                    const Columns& columns, int64_t* asked) {
  const int64_t size = DTypeSize(s.dtype), row_bytes = s.inner * size;
  const auto rows = static_cast<uint64_t>(s.rows);
  constexpr int64_t kGroup = 8;
  const int64_t groups = std::min(s.count / kGroup, kAhead);
  int64_t g = 0;
  for (; g < groups; ++g) {
    bool bad = false;
    for (int64_t i = g * kGroup; i < (g + 1) * kGroup; ++i) {
      bad |= static_cast<uint64_t>(int64_t{index[i]}) >= rows;
    }
    if (bad) break;
    AskForRow<true>(
        target + int64_t{index[g]} * row_bytes + columns.first * size,
        columns.n * size);
  }
  *asked = g;
  int64_t seen = g * kGroup;
  return seen +
         FirstOutside(DTypeOf<I>::value, index + seen, s.count - seen, s.rows);
}

template <class I>
void Scatter(const RowScatter& s, CarryFn carry, char* target, const I* index,
             const char* updates, WorkerPool* pool, int64_t* outside) {
  int64_t size = DTypeSize(s.dtype), row_bytes = s.inner * size;
  int64_t slice_bytes = s.rows * row_bytes;
  int64_t work = s.count * row_bytes;
  int64_t update_bytes = s.count * s.inner * s.update_size();
  auto threads = static_cast<int64_t>(pool ? pool->parallelism() : 1);
  auto slice = [&](int64_t o, const Owner& owner, const Columns& columns,
                   int64_t asked = 0) {
    ScatterOwned(s, carry, target + o * slice_bytes, index,
                 updates + (s.same_update ? 0 : o * update_bytes), owner,
                 columns, asked);
  };
  const Owner everyone{1, 0, 0};
  // Updating single elements of a target that fits in a cache costs less than
  // determining their owners.
  if (s.inner == 1 && s.rows * size <= kCacheBytes) threads = 1;
  const Columns all{s.inner, 0, s.inner};
  bool alone = threads == 1 || s.outer * work < 2 * kTaskBytes;
  bool each_checks = outside && !alone && s.outer == 1 && threads > 1 &&
                     s.count <= kCheckedByEach;
  if (outside && !each_checks) {
    *outside = FirstOutside(DTypeOf<I>::value, index, s.count, s.rows, pool);
    if (*outside < s.count) return;
  }
  if (alone || s.outer >= threads) {
    int64_t grain = std::max<int64_t>(1, kTaskBytes / std::max(work, size));
    ParallelFor(pool, s.outer, grain, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) slice(o, everyone, all);
    });
    return;
  }
  // A few slices, each shared by all threads.
  bool by_columns = row_bytes >= kWideRow ||
                    row_bytes >= threads * kWideStrip ||
                    (s.rows < 16 * threads && row_bytes >= 128);
  int64_t strip = AlignUp((s.inner + threads - 1) / threads,
                          std::max<int64_t>(1, kCacheLine / size));
  int shift =
      row_bytes >= kCacheLine
          ? 0
          : std::bit_width(static_cast<uint64_t>(kCacheLine / row_bytes)) - 1;
  std::atomic<int64_t> good{s.count};
  for (int64_t o = 0; o < s.outer; ++o) {
    ParallelFor(pool, threads, 1, [&](int64_t t, int64_t) {
      Owner owner{static_cast<uint64_t>(threads), static_cast<uint64_t>(t),
                  shift};
      Columns columns = all;
      if (by_columns) {
        if (t * strip >= s.inner) return;
        owner = everyone;
        columns = {s.inner, t * strip, std::min(strip, s.inner - t * strip)};
      }
      int64_t asked = 0;
      if (each_checks) {
        // All of them find the same.
        int64_t found = CheckAndAsk(s, target, index, columns, &asked);
        if (found < s.count) return good.store(found);
      }
      slice(o, owner, columns, by_columns ? asked : 0);
    });
  }
  if (each_checks) *outside = good.load();
}

}  // namespace

bool ScatterRows(const RowScatter& scatter, void* target, DType index_dtype,
                 const void* index, const void* updates, WorkerPool* pool,
                 int64_t* outside) {
  CarryFn carry = Pick(scatter);
  if (!carry) return false;
  if (scatter.outer == 0 || scatter.inner == 0 || scatter.count == 0) {
    if (outside) {
      *outside =
          FirstOutside(index_dtype, index, scatter.count, scatter.rows, pool);
    }
    return true;
  }
  return DispatchIndex(index_dtype, [&]<class I>() {
    Scatter(scatter, carry, static_cast<char*>(target),
            static_cast<const I*>(index), static_cast<const char*>(updates),
            pool, outside);
  });
}

}  // namespace sluice
