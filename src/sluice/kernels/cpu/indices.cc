#include "sluice/kernels/cpu/indices.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <type_traits>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/isa.h"
#include "sluice/op/record.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

namespace {

constexpr int64_t kGrain = 1 << 14;

template <class I>
struct AnyOutside {
  using U = std::make_unsigned_t<I>;
  // One comparison checks both bounds: negative numbers are large unsigned
  // ones.
  static bool Run(const I* index, int64_t n, U limit) {
    U bad = 0;
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      bad |= static_cast<U>(static_cast<U>(index[i]) >= limit);
    }
    return bad != 0;
  }
};

template <class I>
struct AnyAbove {
  static bool Run(const I* index, int64_t n, I last) {
    I bad = 0;
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) bad |= static_cast<I>(index[i] > last);
    return bad != 0;
  }
};

// The first of [0, n) that `inside` rejects, or n. `any_bad(begin, end)` tells
// whether a chunk needs a closer search.
template <class AnyBad, class Inside>
int64_t FirstBad(WorkerPool* pool, int64_t n, AnyBad&& any_bad,
                 Inside&& inside) {
  std::atomic<int64_t> first{n};
  ParallelFor(pool, n, kGrain, [&](int64_t begin, int64_t end) {
    if (!any_bad(begin, end)) return;
    int64_t i = begin;
    while (i < end && inside(i)) ++i;
    int64_t seen = first.load();
    while (i < seen && !first.compare_exchange_weak(seen, i)) {
    }
  });
  return first.load();
}

template <class I>
bool AnyOutsideOf(const I* index, int64_t n, int64_t bound) {
  using U = std::make_unsigned_t<I>;
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<I>::max());
  auto limit =
      static_cast<U>(std::min(static_cast<uint64_t>(bound), kMost + 1));
  return isa::Call<AnyOutside<I>>(index, n, limit);
}

}  // namespace

int64_t FirstOutside(DType dtype, const void* index, int64_t n, int64_t bound,
                     WorkerPool* pool) {
  int64_t i = n;
  DispatchIndex(dtype, [&]<class I>() {
    const I* at = static_cast<const I*>(index);
    i = FirstBad(
        pool, n,
        [&](int64_t begin, int64_t end) {
          return AnyOutsideOf(at + begin, end - begin, bound);
        },
        [&](int64_t k) { return at[k] >= 0 && at[k] < bound; });
  });
  return i;
}

Status OutsideError(const KernelContext& ctx, int input, int64_t place,
                    int64_t bound) {
  Status status;
  DispatchIndex(ctx.in(input).dtype(), [&]<class I>() {
    status = ctx.Error(StrCat(ctx.op().InputName(input), "[", place, "] is ",
                              int64_t{ctx.in(input).data<I>()[place]},
                              "; wanted 0 <= index < ", bound));
  });
  return status;
}

Status CheckIndices(const KernelContext& ctx, int input, int64_t bound) {
  const Array& in = ctx.in(input);
  int64_t n = in.num_elements();
  int64_t i = FirstOutside(in.dtype(), in.raw(), n, bound, ctx.step().pool);
  return i < n ? OutsideError(ctx, input, i, bound) : OkStatus();
}

Status CheckIndicesBelow(const KernelContext& ctx, int input, int64_t bound) {
  const Array& in = ctx.in(input);
  int64_t n = in.num_elements();
  Status status;
  DispatchIndex(in.dtype(), [&]<class I>() {
    constexpr int64_t kMost = std::numeric_limits<I>::max();
    const I* index = in.data<I>();
    auto last = static_cast<I>(std::min(bound - 1, kMost));
    int64_t i = FirstBad(
        ctx.step().pool, n,
        [&](int64_t begin, int64_t end) {
          return isa::Call<AnyAbove<I>>(index + begin, end - begin, last);
        },
        [&](int64_t k) { return index[k] < bound; });
    if (i < n) {
      status = ctx.Error(StrCat(ctx.op().InputName(input), "[", i, "] is ",
                                int64_t{index[i]}, "; wanted an index below ",
                                bound));
    }
  });
  return status;
}

Status FlattenIndices(const KernelContext& ctx, int input, const Shape& shape,
                      int64_t* rows) {
  const Array& in = ctx.in(input);
  auto depth = static_cast<int>(in.dim(in.rank() - 1));
  int64_t tuples = 1;
  for (int i = 0; i + 1 < in.rank(); ++i) tuples *= in.dim(i);
  Status status;
  DispatchIndex(in.dtype(), [&]<class I>() {
    const I* index = in.data<I>();
    // Row i, or -1 if the tuple is out of bounds.
    auto flat = [&](int64_t i) {
      int64_t row = 0;
      bool inside = true;
      for (int k = 0; k < depth; ++k) {
        int64_t at = index[i * depth + k];
        inside = inside && at >= 0 && at < shape.dim(k);
        row = inside ? row * shape.dim(k) + at : -1;
      }
      return row;
    };
    int64_t bad = FirstBad(
        ctx.step().pool, tuples,
        [&](int64_t begin, int64_t end) {
          int64_t any = 0;
          for (int64_t i = begin; i < end; ++i) {
            rows[i] = flat(i);
            any |= rows[i];
          }
          return any < 0;
        },
        [&](int64_t i) { return rows[i] >= 0; });
    if (bad == tuples) return;
    std::string got, wanted;
    for (int k = 0; k < depth; ++k) {
      StrAppend(got, k ? "," : "", int64_t{index[bad * depth + k]});
      StrAppend(wanted, k ? "," : "", shape.dim(k));
    }
    status = ctx.Error(StrCat(ctx.op().InputName(input), "[", bad, "] is [",
                              got, "]; wanted indices inside [", wanted, "]"));
  });
  return status;
}

}  // namespace sluice
