#include "sluice/kernels/cpu/segment.h"

#include <algorithm>
#include <limits>

#include "sluice/base/checked_math.h"
#include "sluice/kernels/cpu/convert.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Rule {
  ScatterOp op;
  double start;
};
Rule RuleOf(SegmentKind kind) {
  switch (kind) {
    case SegmentKind::kProd:
      return {ScatterOp::kMul, 1};
    case SegmentKind::kMin:
      return {ScatterOp::kMin, kInf};
    case SegmentKind::kMax:
      return {ScatterOp::kMax, -kInf};
    default:
      return {ScatterOp::kAdd, 0};
  }
}

bool IsHalf(DType t) { return t == DType::kF16 || t == DType::kBF16; }

// Bytes of the part of the workspace that holds sums of half-precision types.
int64_t SumBytes(DType dtype, int64_t elements) {
  return IsHalf(dtype) ? AlignUp(elements * 4, 64) : 0;
}

template <class T>
void DivideRows(T* y, int64_t rows, int64_t inner, const int64_t* counts,
                WorkerPool* pool) {
  ParallelFor(pool, rows, std::max<int64_t>(1, (1 << 14) / inner),
              [&](int64_t begin, int64_t end) {
                for (int64_t r = begin; r < end; ++r) {
                  auto n = static_cast<T>(std::max<int64_t>(counts[r], 1));
                  for (int64_t k = 0; k < inner; ++k) y[r * inner + k] /= n;
                }
              });
}

}  // namespace

int64_t segment_workspace(const ShapeContext& c) {
  if (!c.out(0).fully_known()) return 0;
  Shape out = c.out(0).ToShape();
  if (out.num_elements() == 0 || out.rank() == 0) return 0;
  int64_t counts = out.dim(0) * 8;
  return SumBytes(c.in_dtype(0), out.num_elements()) + counts;
}

Status ReduceSegments(KernelContext& ctx, SegmentKind kind) {
  const Array &ids = ctx.in(1), &out = ctx.out(0);
  if (out.num_elements() == 0) return OkStatus();
  WorkerPool* pool = ctx.step().pool;
  Rule rule = RuleOf(kind);
  RowScatter job{.op = rule.op, .dtype = out.dtype()};
  job.rows = out.dim(0);
  job.inner = out.num_elements() / job.rows;
  job.count = ids.num_elements();
  job.skip_negative = true;

  // Halves are summed and multiplied in float; their extremes are exact.
  void* sums = out.mutable_raw();
  bool wide = IsHalf(out.dtype()) && kind != SegmentKind::kMin &&
              kind != SegmentKind::kMax;
  if (wide) {
    sums = ctx.workspace();
    job.dtype = DType::kF32;
    job.update_dtype = out.dtype();
  }
  FillElements(job.dtype, ElementOf(rule.start, job.dtype).bytes,
               out.num_elements(), sums, pool);
  ScatterRows(job, sums, ids.dtype(), ids.raw(), ctx.in(0).raw(), pool);

  if (kind == SegmentKind::kMean) {
    auto* counts =
        reinterpret_cast<int64_t*>(static_cast<char*>(ctx.workspace()) +
                                   SumBytes(out.dtype(), out.num_elements()));
    std::fill_n(counts, job.rows, 0);
    DispatchIndex(ids.dtype(), [&]<class I>() {
      const I* id = ids.data<I>();
      for (int64_t i = 0; i < job.count; ++i) {
        if (id[i] >= 0) ++counts[id[i]];
      }
    });
    if (job.dtype == DType::kF64) {
      DivideRows(static_cast<double*>(sums), job.rows, job.inner, counts, pool);
    } else {
      DivideRows(static_cast<float*>(sums), job.rows, job.inner, counts, pool);
    }
  }
  if (wide) {
    BlockKernel convert = ConvertBlock(DType::kF32, out.dtype());
    const void* from[] = {sums};
    convert.fn(out.mutable_raw(), from, out.num_elements(), convert.params);
  }
  return OkStatus();
}

}  // namespace sluice
