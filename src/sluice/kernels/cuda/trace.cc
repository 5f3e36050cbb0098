// Trace (source/trace.cuh).
#include <algorithm>

#include "sluice/kernels/cuda/reduce_plan.h"
#include "sluice/kernels/cuda/slice_plan.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

// Layout as in source/trace.cuh.
struct Args {
  GpuReduceShape s;
  const void* x = nullptr;
  void* y = nullptr;
  int64_t matrix = 0, step = 0, n = 0;
};

struct Diagonals {
  int64_t rows, columns, n;
  explicit Diagonals(const Shape& x)
      : rows(x.dim(x.rank() - 2)),
        columns(x.dim(x.rank() - 1)),
        n(std::min(rows, columns)) {}
  ReducePlan Plan(int64_t outputs) const {
    return ReducePlan(Shape({outputs, n}), 2u, outputs);
  }
};

int64_t Space(const ShapeContext& c) {
  return Diagonals(c.in(0).ToShape())
      .Plan(c.out(0).ToShape().num_elements())
      .partial_bytes();
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  Diagonals d(x.shape());
  Args args;
  args.x = AddressOf(x);
  args.y = AddressOf(y);
  args.matrix = d.rows * d.columns;
  args.step = d.columns + 1;
  args.n = d.n;
  return LaunchReduce(ctx, "trace.cuh", ElementType(x.dtype()),
                      d.Plan(y.num_elements()), ctx.workspace(), args);
}

SL_KERNEL(Trace, kCuda, Kernel{.launch = Launch, .workspace = Space});

}  // namespace

}  // namespace sluice
