// Recurrent cells and gated linear units (source/cells.cuh).
#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/slice_plan.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

// Layout as in source/cells.cuh.
struct Args {
  const void* in[5] = {};
  void* out[5] = {};
  int64_t rows = 0, n = 0;
};

Status Run(KernelContext& ctx, const char* cell, int64_t rows, int64_t n) {
  if (rows * n == 0) return OkStatus();
  Args args;
  for (int i = 0; i < ctx.num_inputs(); ++i) args.in[i] = AddressOf(ctx.in(i));
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    args.out[i] = AddressOf(ctx.out(i));
  }
  args.rows = rows;
  args.n = n;
  CudaDevice& device = GpuOf(ctx);
  std::string before =
      StrCat(ElementType(ctx.in(0).dtype()), "\n#define SL_CELL ", cell);
  SL_ASSIGN_OR_RETURN(CUfunction function,
                      FileFunction(device, "cells.cuh", before, "cell"));
  return LaunchCuda(ctx, function, GridFor(device, rows * n), args);
}

// kState: the input that is one part wide.
template <const char* kCell, int kState>
Status Cell(KernelContext& ctx) {
  const Shape& state = ctx.in(kState).shape();
  return Run(ctx, kCell, state.dim(0), state.dim(1));
}

// Halves along an axis of input kInput, including all inner axes.
template <const char* kCell, int kInput>
Status Halves(KernelContext& ctx) {
  AxisView v(ctx.in(kInput).shape(), ctx.attr<int64_t>("axis"));
  return Run(ctx, kCell, v.outer, v.size / 2 * v.inner);
}

#define SL_CELL_OP(Op, Fn, input)     \
  constexpr char k##Op##Cell[] = #Op; \
  SL_KERNEL(Op, kCuda, Kernel{.launch = Fn<k##Op##Cell, input>})
SL_CELL_OP(LstmCell, Cell, 1);
SL_CELL_OP(LstmCellGrad, Cell, 0);
SL_CELL_OP(GruCell, Cell, 2);
SL_CELL_OP(GruCellGrad, Cell, 0);
SL_CELL_OP(Glu, Halves, 0);
SL_CELL_OP(GluGrad, Halves, 1);

}  // namespace

}  // namespace sluice
