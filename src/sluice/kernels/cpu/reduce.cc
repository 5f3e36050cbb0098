#include "sluice/kernels/cpu/reduce.h"

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"

namespace sluice {

namespace {

// Lanes of a row are folded every so many elements: short enough for float
// sums to stay exact to a few ulp, long enough to cost nothing.
constexpr int64_t kBlock = 2048;
// What one task reduces of one output, and how much work is worth a task.
constexpr int64_t kChunk = 1 << 16;
// Columns one task holds accumulators for, and rows summed between foldings.
constexpr int64_t kColumns = 512;
constexpr int64_t kRows = 64;
constexpr int64_t kMaxAcc = 16;  // bytes

uint32_t AxisMask(const Attrs& attrs, int rank) {
  const auto& axes = attrs.get<std::vector<int64_t>>("axes");
  if (axes.empty()) return (1u << rank) - 1;
  uint32_t mask = 0;
  for (int64_t a : axes) mask |= 1u << (a < 0 ? a + rank : a);
  return mask;
}

// A nest of loops over some axes, addressed by one flat number.
struct Nest {
  int rank = 0;
  int64_t dims[kMaxRank] = {}, steps[kMaxRank] = {};
  int64_t count = 1;

  void Prepend(int64_t dim, int64_t step) {
    for (int i = rank; i > 0; --i) {
      dims[i] = dims[i - 1];
      steps[i] = steps[i - 1];
    }
    dims[0] = dim;
    steps[0] = step;
    ++rank;
    count *= dim;
  }
  int64_t Offset(int64_t flat) const {
    int64_t offset = 0;
    for (int i = rank - 1; i >= 0; --i) {
      offset += flat % dims[i] * steps[i];
      flat /= dims[i];
    }
    return offset;
  }
};

// The input as kept and reduced axes, the innermost run of one kind apart.
struct Layout {
  Nest kept, reduced;  // without the inner run
  int64_t inner = 1;
  bool inner_reduced = true;
  int64_t reduced_count = 1;

  Layout(const Shape& shape, uint32_t mask) {
    int axis = shape.rank() - 1;
    while (axis >= 0 && shape.dim(axis) == 1) --axis;
    inner_reduced = axis < 0 || (mask >> axis & 1);
    int64_t step = 1;
    bool inside = true;
    for (; axis >= 0; --axis) {
      int64_t dim = shape.dim(axis);
      bool is_reduced = mask >> axis & 1;
      if (is_reduced) reduced_count *= dim;
      inside = inside && (is_reduced == inner_reduced || dim == 1);
      if (inside) {
        inner *= dim;
      } else if (dim != 1) {
        (is_reduced ? reduced : kept).Prepend(dim, step);
      }
      step *= dim;
    }
  }
  // Chunks the reduction of one output is cut into (inner run reduced).
  int64_t rows_per_chunk() const {
    return std::max<int64_t>(1, kChunk / std::max<int64_t>(1, inner));
  }
  int64_t cuts() const { return (inner + kChunk - 1) / kChunk; }
  int64_t chunks() const {
    int64_t rows = rows_per_chunk();
    return (reduced.count + rows - 1) / rows * std::max<int64_t>(1, cuts());
  }
};

// One chunk of one output into *acc.
void ReduceChunk(const ReduceLoops& loops, const Layout& l, const char* x,
                 int64_t size, int64_t chunk, char* acc) {
  loops.start(acc, 1);
  alignas(kMaxAcc) char part[kMaxAcc];
  int64_t cuts = std::max<int64_t>(1, l.cuts());
  int64_t row = chunk / cuts * l.rows_per_chunk();
  int64_t row_end = std::min(row + l.rows_per_chunk(), l.reduced.count);
  int64_t begin = chunk % cuts * kChunk;
  int64_t end = cuts == 1 ? l.inner : std::min(begin + kChunk, l.inner);
  for (; row < row_end; ++row) {
    const char* base = x + l.reduced.Offset(row) * size;
    for (int64_t i = begin; i < end; i += kBlock) {
      loops.row(base + i * size, std::min(kBlock, end - i), part);
      loops.combine(acc, part, 1);
    }
  }
}

void ReduceRows(KernelContext& ctx, const ReduceLoops& loops, const Layout& l) {
  const char* x = static_cast<const char*>(ctx.in(0).raw());
  char* y = static_cast<char*>(ctx.out(0).mutable_raw());
  int64_t in_size = DTypeSize(ctx.in(0).dtype());
  int64_t out_size = DTypeSize(ctx.out(0).dtype());
  int64_t chunks = l.chunks();
  int64_t work = l.reduced.count * l.inner;  // per output
  if (chunks <= 1) {
    int64_t grain = std::max<int64_t>(1, kChunk / std::max<int64_t>(1, work));
    ParallelFor(ctx.step().pool, l.kept.count, grain,
                [&](int64_t begin, int64_t end) {
                  alignas(kMaxAcc) char acc[kMaxAcc];
                  for (int64_t o = begin; o < end; ++o) {
                    const char* base = x + l.kept.Offset(o) * in_size;
                    ReduceChunk(loops, l, base, in_size, 0, acc);
                    loops.finish(acc, 1, l.reduced_count, y + o * out_size);
                  }
                });
    return;
  }
  char* parts = static_cast<char*>(ctx.workspace());
  ParallelFor(ctx.step().pool, l.kept.count * chunks, 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t t = begin; t < end; ++t) {
                  const char* base = x + l.kept.Offset(t / chunks) * in_size;
                  ReduceChunk(loops, l, base, in_size, t % chunks,
                              parts + t * kMaxAcc);
                }
              });
  for (int64_t o = 0; o < l.kept.count; ++o) {
    char* acc = parts + o * chunks * kMaxAcc;
    for (int64_t c = 1; c < chunks; ++c) {
      loops.combine(acc, acc + c * kMaxAcc, 1);
    }
    loops.finish(acc, 1, l.reduced_count, y + o * out_size);
  }
}

void ReduceColumns(KernelContext& ctx, const ReduceLoops& loops,
                   const Layout& l) {
  const char* x = static_cast<const char*>(ctx.in(0).raw());
  char* y = static_cast<char*>(ctx.out(0).mutable_raw());
  int64_t in_size = DTypeSize(ctx.in(0).dtype());
  int64_t out_size = DTypeSize(ctx.out(0).dtype());
  int64_t strips = (l.inner + kColumns - 1) / kColumns;
  int64_t strip_work = l.reduced.count * std::min(l.inner, kColumns);
  int64_t grain =
      std::max<int64_t>(1, kChunk / std::max<int64_t>(1, strip_work));
  auto strip = [&](int64_t begin, int64_t end) {
    alignas(kMaxAcc) char total[kColumns * kMaxAcc];
    alignas(kMaxAcc) char part[kColumns * kMaxAcc];
    for (int64_t t = begin; t < end; ++t) {
      int64_t outer = t / strips, first = t % strips * kColumns;
      int64_t n = std::min(kColumns, l.inner - first);
      const char* base = x + (l.kept.Offset(outer) + first) * in_size;
      loops.start(total, n);
      for (int64_t row = 0; row < l.reduced.count;) {
        loops.start(part, n);
        int64_t stop = std::min(row + kRows, l.reduced.count);
        for (; row < stop; ++row) {
          loops.columns(base + l.reduced.Offset(row) * in_size, n, part);
        }
        loops.combine(total, part, n);
      }
      loops.finish(total, n, l.reduced_count,
                   y + (outer * l.inner + first) * out_size);
    }
  };
  ParallelFor(ctx.step().pool, l.kept.count * strips, grain, strip);
}

}  // namespace

Status RunReduce(KernelContext& ctx, const ReduceLoops& loops) {
  const Array& x = ctx.in(0);
  if (ctx.out(0).num_elements() == 0) return OkStatus();
  if (x.num_elements() == 0) {
    alignas(kMaxAcc) char acc[kMaxAcc];
    loops.start(acc, 1);
    int64_t size = DTypeSize(ctx.out(0).dtype());
    char* y = static_cast<char*>(ctx.out(0).mutable_raw());
    for (int64_t i = 0; i < ctx.out(0).num_elements(); ++i) {
      loops.finish(acc, 1, 0, y + i * size);
    }
    return OkStatus();
  }
  Layout layout(x.shape(), AxisMask(ctx.attrs(), x.rank()));
  if (layout.inner_reduced) {
    ReduceRows(ctx, loops, layout);
  } else {
    ReduceColumns(ctx, loops, layout);
  }
  return OkStatus();
}

int64_t reduce_workspace(const ShapeContext& c) {
  Shape shape = c.in(0).ToShape();
  if (shape.num_elements() == 0) return 0;
  Layout layout(shape, AxisMask(c.attrs(), shape.rank()));
  if (!layout.inner_reduced || layout.chunks() <= 1) return 0;
  return layout.kept.count * layout.chunks() * kMaxAcc;
}

Status reduce_nonempty_shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(shapes::reduce(c));
  const PartialShape& x = c.in(0);
  if (!x.rank_known()) return OkStatus();
  uint32_t mask = AxisMask(c.attrs(), x.rank());
  bool empty = false, results = true;
  for (int i = 0; i < x.rank(); ++i) {
    if (mask >> i & 1) {
      empty = empty || x[i] == 0;
    } else {
      results = results && x[i] > 0;
    }
  }
  if (!empty || !results) return OkStatus();
  return c.Error(
      StrCat(c.Describe(0), "; wanted at least one element to reduce"));
}

}  // namespace sluice
