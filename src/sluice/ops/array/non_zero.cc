#include <algorithm>

#include "sluice/kernels/cpu/compact.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/record.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  const PartialShape& x = c.in(0);
  c.set_out(
      0, PartialShape({kUnknownDim, x.rank_known() ? x.rank() : kUnknownDim}));
  return OkStatus();
}

template <class T>
bool IsNonZero(const T& v) {
  if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>) {
    return (v.bits & 0x7fff) != 0;
  } else {
    return v != T(0);
  }
}

// The flat positions of the nonzero elements of [begin, end), a block at a
// time: every position is written but only kept if it counts, since an
// unpredictable branch would cost more.
template <class T, class F>
void Find(const T* x, int64_t begin, int64_t end, F&& found) {
  constexpr int64_t kBlock = 512;
  int64_t at[kBlock];
  for (; begin < end; begin += kBlock) {
    int64_t last = std::min(end, begin + kBlock), n = 0;
    for (int64_t i = begin; i < last; ++i) {
      at[n] = i;
      n += IsNonZero(x[i]);
    }
    found(at, n);
  }
}

// Flat places as indices, `rank` of them each.
void WriteIndices(const Shape& shape, const int64_t* at, int64_t n,
                  int64_t* y) {
  int rank = shape.rank();
  if (rank == 1) {
    std::copy_n(at, n, y);
    return;
  }
  // The next place is mostly in the same row as the one before.
  int64_t columns = shape.dim(rank - 1), row_end = 0, row_begin = 0;
  for (int64_t i = 0; i < n; ++i, y += rank) {
    if (i > 0 && at[i] < row_end) {
      std::copy_n(y - rank, rank - 1, y);
    } else {
      int64_t rest = at[i] / columns;
      row_begin = rest * columns;
      row_end = row_begin + columns;
      for (int axis = rank - 2; axis >= 0; --axis) {
        y[axis] = rest % shape.dim(axis);
        rest /= shape.dim(axis);
      }
    }
    y[rank - 1] = at[i] - row_begin;
  }
}

template <class T>
Status FindAll(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  const T* data = static_cast<const T*>(x.raw());
  int64_t n = x.num_elements(), rank = x.rank();
  WorkerPool* pool = ctx.step().pool;
  auto offsets = CompactOffsets(pool, n, [&](int64_t begin, int64_t end) {
    int64_t count = 0;
    for (int64_t i = begin; i < end; ++i) count += IsNonZero(data[i]);
    return count;
  });
  SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(Ints{offsets.back(), rank}));
  SL_RETURN_IF_ERROR(ctx.AllocateOut(0, DType::kI64, shape));
  if (rank == 0) return OkStatus();
  int64_t* y = ctx.out(0).mutable_data<int64_t>();
  CompactWrite(pool, n, offsets, [&](int64_t begin, int64_t end, int64_t to) {
    // Elements may have changed since they were counted: never write beyond the
    // allocated space, and leave nothing unwritten.
    int64_t last = offsets[static_cast<size_t>(begin / kCompactChunk + 1)];
    Find(data, begin, end, [&](const int64_t* at, int64_t found) {
      found = std::min(found, last - to);
      WriteIndices(x.shape(), at, found, y + to * rank);
      to += found;
    });
    std::fill(y + to * rank, y + last * rank, 0);
  });
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  Status status;
  // A bool of another memory may hold any byte: counted and written as a byte.
  if (ctx.in(0).dtype() == DType::kBool) return FindAll<uint8_t>(ctx);
  if (ctx.in(0).dtype() == DType::kC64) return FindAll<complex64>(ctx);
  DispatchReals(ctx.in(0).dtype(),
                [&]<class T>() { status = FindAll<T>(ctx); });
  return status;
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  RefArray y;
  int64_t count = 0;
  ref::ForEach(in[0].shape, [&](const Ints& index) {
    if (ref::At(in[0], index) == 0) return;
    ++count;
    y.v.insert(y.v.end(), index.begin(), index.end());
  });
  y.shape = ref::MakeShape({count, in[0].shape.rank()});
  return {y};
}

}  // namespace

SL_OP(NonZero)
    .doc(
        "The indices of x's elements that are not zero, one per row, in "
        "row-major order.")
    .input("x: T")
    .output("y: i64")
    .types("T", kPlain)
    .shape(Infer)
    .cpu(Launch)
    .dynamic_output()
    .reference(Reference)
    .samples({{.in = {{5}}, .lo = 0, .hi = 1},
              {.in = {{3, 4}}, .lo = 0, .hi = 1},
              {.in = {Shape()}, .lo = 1, .hi = 1},
              {.in = {Array::Of<float>({2, 3}, {0, 1, -0.0f, 2, 0, 3})}},
              {.in = {{0, 3}}},
              {.in = {{3, 5, 7}}, .lo = 0, .hi = 1},
              {.in = {{70, 1100}},
               .lo = 0,
               .hi = 1,
               .only = {DType::kI8, DType::kBool}},
              {.in = {{40000}}, .lo = 0, .hi = 1, .only = {DType::kI32}}});

}  // namespace sluice
