#include "sluice/kernels/cpu/reduce.h"

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/reduce_layout.h"

namespace sluice {

namespace {

// Elements read at a time: fused neighbours fill this many on the stack, and
// the lanes of a row are combined after this many, which keeps float sums
// accurate to a few ulp.
constexpr int64_t kBlock = 2048;
// The elements that one task reduces, and the work that is worth a task.
constexpr int64_t kChunk = 1 << 16;
// The columns for which one task has accumulators, and the rows added before
// they are combined.
constexpr int64_t kStrip = 1024;
constexpr int64_t kFoldRows = 256;
// Narrow rows are processed several at a time until they fill this many
// columns.
constexpr int64_t kWide = 64;
// Parts a reduction over rows is cut into at most: each costs a whole set of
// accumulators.
constexpr int64_t kMaxParts = 64;

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// One launch: the source of elements and the target of results.
struct Launch {
  KernelContext& ctx;
  const ReduceLoops& loops;
  const BlockParams& params;
  const ReduceLayout& l;
  const char* x;  // null when something is fused in front
  int64_t in_size, out_size;
  char* y;
  char* parts;

  const char* Read(int64_t begin, int64_t n, char* scratch) const {
    if (x) return x + begin * in_size;
    return reinterpret_cast<const char*>(
        ctx.Load(begin, n, reinterpret_cast<uint8_t*>(scratch)));
  }
  void Finish(const char* acc, int64_t begin, int64_t n) const {
    loops.finish(acc, n, l.reduced_count, y + begin * out_size, params);
    ctx.Finish(begin, n);
  }
};

constexpr int64_t kScratchBytes = kBlock * 8;

// ---- The inner run is reduced --------------------------------------------

// The division of one output's elements: rows of the nest, or pieces of a row.
struct RowCuts {
  int64_t rows, cuts, chunks;
  explicit RowCuts(const ReduceLayout& l)
      : rows(std::max<int64_t>(1, kChunk / l.inner)),
        cuts(CeilDiv(l.inner, kChunk)),
        chunks(CeilDiv(l.reduced.count, rows) * cuts) {}
};

// Reduces one chunk of the output whose elements start at `base` into *acc.
void ReduceChunk(const Launch& run, const RowCuts& cut, int64_t base,
                 int64_t chunk, char* acc) {
  const ReduceLayout& l = run.l;
  alignas(64) char part[kMaxAccBytes], scratch[kScratchBytes];
  run.loops.start(acc, 1);
  int64_t row = chunk / cut.cuts * cut.rows;
  int64_t row_end = std::min(row + cut.rows, l.reduced.count);
  int64_t begin = chunk % cut.cuts * kChunk;
  int64_t end = cut.cuts == 1 ? l.inner : std::min(begin + kChunk, l.inner);
  for (; row < row_end; ++row) {
    int64_t at = base + l.reduced.Offset(row);
    for (int64_t i = begin; i < end; i += kBlock) {
      int64_t n = std::min(kBlock, end - i);
      run.loops.rows(run.Read(at + i, n, scratch), 1, n, part, run.params);
      run.loops.combine(acc, part, 1);
    }
  }
}

// Whole adjacent outputs, several per block.
void ReduceShortRows(const Launch& run) {
  int64_t n = run.l.inner, per_block = std::min<int64_t>(kBlock / n, 256);
  auto body = [&](int64_t begin, int64_t end) {
    alignas(64) char acc[256 * kMaxAccBytes], scratch[kScratchBytes];
    for (int64_t o = begin; o < end; o += per_block) {
      int64_t m = std::min(per_block, end - o);
      run.loops.rows(run.Read(o * n, m * n, scratch), m, n, acc, run.params);
      run.Finish(acc, o, m);
    }
  };
  ParallelFor(run.ctx.step().pool, run.l.kept.count, CeilDiv(kChunk, n), body);
}

void ReduceRows(const Launch& run) {
  const ReduceLayout& l = run.l;
  if (l.reduced.count == 1 && l.inner <= kBlock) return ReduceShortRows(run);
  RowCuts cut(l);
  WorkerPool* pool = run.ctx.step().pool;
  if (cut.chunks == 1) {
    int64_t grain = CeilDiv(kChunk, l.reduced.count * l.inner);
    ParallelFor(pool, l.kept.count, grain, [&](int64_t begin, int64_t end) {
      alignas(64) char acc[kMaxAccBytes];
      for (int64_t o = begin; o < end; ++o) {
        ReduceChunk(run, cut, l.kept.Offset(o), 0, acc);
        run.Finish(acc, o, 1);
      }
    });
    return;
  }
  int64_t size = run.loops.acc_bytes;
  ParallelFor(pool, l.kept.count * cut.chunks, 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t t = begin; t < end; ++t) {
                  ReduceChunk(run, cut, l.kept.Offset(t / cut.chunks),
                              t % cut.chunks, run.parts + t * size);
                }
              });
  for (int64_t o = 0; o < l.kept.count; ++o) {
    char* acc = run.parts + o * cut.chunks * size;
    for (int64_t c = 1; c < cut.chunks; ++c) {
      run.loops.combine(acc, acc + c * size, 1);
    }
    run.Finish(acc, o, 1);
  }
}

// ---- The inner run is kept -----------------------------------------------

// Rows are cut into parts, columns into strips.
struct ColumnCuts {
  int64_t strips, group, rows, part_rows, parts;
  explicit ColumnCuts(const ReduceLayout& l)
      : strips(CeilDiv(l.inner, kStrip)),
        group(std::min(CeilDiv(kWide, l.inner), l.reduced.dims[0])),
        rows(l.reduced.count) {
    int64_t most = std::max<int64_t>(1, kMaxParts / (l.kept.count * strips));
    int64_t least_rows = 2 * kChunk / std::min(l.inner, kStrip);
    part_rows = std::max({least_rows, CeilDiv(rows, most), int64_t{1}});
    parts = CeilDiv(rows, part_rows);
  }
};

// Adds rows [row, row_end) of n columns from `first` on to `acc`.
void AddRows(const Launch& run, const ColumnCuts& cut, int64_t base,
             int64_t first, int64_t n, int64_t row, int64_t row_end,
             char* acc) {
  const ReduceLayout& l = run.l;
  alignas(64) char scratch[kScratchBytes];
  const int64_t run_rows = l.reduced.dims[0];  // these have stride `inner`
  while (row < row_end) {
    int64_t m = std::min(row_end - row, run_rows - row % run_rows);
    int64_t at = base + l.reduced.Offset(row) + first;
    if (cut.group > 1) {
      // Adjacent rows form one wide row; the remaining ones fill its beginning.
      int64_t wide = cut.group * n;
      m = std::min(m, kBlock / wide * cut.group);
      const char* x = run.Read(at, m * n, scratch);
      run.loops.columns(x, wide, m / cut.group, wide, acc, run.params);
      int64_t rest = m % cut.group;
      run.loops.columns(x + (m - rest) * n * run.in_size, 0, 1, rest * n, acc,
                        run.params);
    } else if (run.x) {
      run.loops.columns(run.Read(at, 0, scratch), l.inner, m, n, acc,
                        run.params);
    } else if (n == l.inner) {
      m = std::min(m, kBlock / n);
      run.loops.columns(run.Read(at, m * n, scratch), n, m, n, acc, run.params);
    } else {
      m = 1;
      run.loops.columns(run.Read(at, n, scratch), n, 1, n, acc, run.params);
    }
    row += m;
  }
}

// Reduces part `part` of n columns from `first` on into n accumulators at
// `total`, which has space for group * n.
void ReducePart(const Launch& run, const ColumnCuts& cut, int64_t base,
                int64_t first, int64_t n, int64_t part, char* total) {
  const int64_t wide = n * cut.group, size = run.loops.acc_bytes;
  alignas(64) char fold[kStrip * kMaxAccBytes];
  int64_t row = part * cut.part_rows;
  int64_t end = std::min(row + cut.part_rows, cut.rows);
  // Narrow rows are shared by `group` accumulators: more of them to a fold.
  int64_t fold_rows = kFoldRows * cut.group;
  for (bool first_fold = true; row < end; first_fold = false) {
    int64_t stop = std::min(row + fold_rows, end);
    char* acc = first_fold ? total : fold;
    run.loops.start(acc, wide);
    AddRows(run, cut, base, first, n, row, stop, acc);
    if (!first_fold) run.loops.combine(total, acc, wide);
    row = stop;
  }
  for (int64_t k = 1; k < cut.group; ++k) {
    run.loops.combine(total, total + k * n * size, n);
  }
}

void ReduceColumns(const Launch& run) {
  const ReduceLayout& l = run.l;
  ColumnCuts cut(l);
  WorkerPool* pool = run.ctx.step().pool;
  const int64_t size = run.loops.acc_bytes;
  const int64_t per_output = cut.strips * cut.parts;
  int64_t work = std::min(cut.part_rows, cut.rows) * std::min(l.inner, kStrip);
  ParallelFor(
      pool, l.kept.count * per_output, CeilDiv(kChunk, work),
      [&](int64_t begin, int64_t end) {
        alignas(64) char total[kStrip * kMaxAccBytes];
        for (int64_t t = begin; t < end; ++t) {
          int64_t outer = t / per_output, part = t % per_output / cut.strips;
          int64_t first = t % cut.strips * kStrip;
          int64_t n = std::min(kStrip, l.inner - first);
          ReducePart(run, cut, l.kept.Offset(outer), first, n, part, total);
          if (cut.parts == 1) {
            run.Finish(total, outer * l.inner + first, n);
          } else {
            int64_t at = (outer * cut.parts + part) * l.inner + first;
            std::copy_n(total, n * size, run.parts + at * size);
          }
        }
      });
  if (cut.parts == 1) return;
  int64_t grain = CeilDiv(kChunk, cut.parts * std::min(l.inner, kStrip));
  ParallelFor(
      pool, l.kept.count * cut.strips, grain, [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; ++t) {
          int64_t outer = t / cut.strips;
          int64_t first = t % cut.strips * kStrip;
          int64_t n = std::min(kStrip, l.inner - first);
          char* acc = run.parts + (outer * cut.parts * l.inner + first) * size;
          for (int64_t p = 1; p < cut.parts; ++p) {
            run.loops.combine(acc, acc + p * l.inner * size, n);
          }
          run.Finish(acc, outer * l.inner + first, n);
        }
      });
}

int64_t Parts(const ShapeContext& c) {
  Shape shape = c.in(0).ToShape();
  if (shape.num_elements() == 0) return 0;
  ReduceLayout l(shape, ReducedAxes(c.attrs(), shape, c.out(0).ToShape()));
  if (l.inner_reduced) {
    RowCuts cut(l);
    return cut.chunks > 1 ? l.kept.count * cut.chunks : 0;
  }
  if (l.reduced.rank == 0) return 0;
  ColumnCuts cut(l);
  return cut.parts > 1 ? l.kept.count * cut.parts * l.inner : 0;
}

}  // namespace

Status RunReduce(KernelContext& ctx, const ReduceLoops& loops,
                 const BlockParams& params) {
  const Array &x = ctx.in(0), &out = ctx.out(0);
  if (out.num_elements() == 0) return OkStatus();
  char* y = static_cast<char*>(out.mutable_raw());
  int64_t out_size = DTypeSize(out.dtype());
  if (x.num_elements() == 0) {
    alignas(64) char acc[kMaxAccBytes];
    loops.start(acc, 1);
    for (int64_t i = 0; i < out.num_elements(); ++i) {
      loops.finish(acc, 1, 0, y + i * out_size, params);
    }
    ctx.Finish(0, out.num_elements());
    return OkStatus();
  }
  ReduceLayout layout(x.shape(),
                      ReducedAxes(ctx.attrs(), x.shape(), out.shape()));
  const char* data =
      ctx.has_prologue() ? nullptr : static_cast<const char*>(x.raw());
  Launch run{ctx,      loops, params,
             layout,   data,  DTypeSize(x.dtype()),
             out_size, y,     static_cast<char*>(ctx.workspace())};
  // Nothing but axes of size 1 to reduce: rows of one element.
  if (!layout.inner_reduced && layout.reduced.rank == 0) {
    layout.kept = {};
    layout.kept.Add(layout.inner, 1, false);
    layout.inner = 1;
    layout.inner_reduced = true;
  }
  if (layout.inner_reduced) {
    ReduceRows(run);
  } else {
    ReduceColumns(run);
  }
  return OkStatus();
}

int64_t reduce_workspace(const ShapeContext& c) { return Parts(c) * 8; }
int64_t reduce_wide_workspace(const ShapeContext& c) {
  return Parts(c) * kMaxAccBytes;
}

Status reduce_nonempty_shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(shapes::reduce(c));
  const PartialShape& x = c.in(0);
  if (!x.rank_known()) return OkStatus();
  uint32_t mask = NamedAxes(*c.attrs().find("axes"), x.rank());
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
