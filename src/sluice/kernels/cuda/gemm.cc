#include "sluice/kernels/cuda/gemm.h"

#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/aligned_gemm.h"

namespace sluice {

namespace {

// Layout as in source/gemm.cuh.
struct PlainArgs {
  const void *a, *b;
  void* c;
  int64_t m, n, k, batch;
  int64_t a_row, a_column, b_row, b_column;
  int64_t a_batch, b_batch, c_batch;
  const void* add;
  int64_t add_row;
};

Status RunPlain(const KernelContext& ctx, const GpuGemm& g) {
  auto steps = [](const GpuMatrix& x) {
    return x.transposed ? std::pair<int64_t, int64_t>{1, x.row_step}
                        : std::pair<int64_t, int64_t>{x.row_step, 1};
  };
  auto [a_row, a_column] = steps(g.a);
  auto [b_row, b_column] = steps(g.b);
  PlainArgs args{g.a.data,
                 g.b.data,
                 g.c,
                 g.m,
                 g.n,
                 g.k,
                 g.batch,
                 a_row,
                 a_column,
                 b_row,
                 b_column,
                 g.a.batch_step,
                 g.b.batch_step,
                 g.c_batch_step,
                 g.add,
                 g.add_row ? 0 : g.n};
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(
      CUfunction gemm,
      FileFunction(device, "gemm.cuh",
                   StrCat("using T = ", CudaTypeName(g.dtype),
                          "; using Out = ", CudaTypeName(g.TypeOfC()), ";"),
                   "gemm"));
  return LaunchCuda(ctx, gemm, GridFor(device, g.m * g.n * g.batch), args);
}

}  // namespace

Status RunGemm(const KernelContext& ctx, const GpuGemm& gemm) {
  if (gemm.m == 0 || gemm.n == 0 || gemm.batch == 0) return OkStatus();
  if (gemm.k > 0 && IsFloating(gemm.dtype)) {
    Status status = RunAlignedGemm(ctx, gemm);
    // Shapes the library does not take, and machines without it.
    if (status.code() != Code::kUnimplemented &&
        status.code() != Code::kUnavailable) {
      return status;
    }
  }
  return RunPlain(ctx, gemm);
}

}  // namespace sluice
