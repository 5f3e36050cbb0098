#include "sluice/kernels/cuda/gemm.h"

#include <array>

#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/library_gemm.h"
#include "sluice/kernels/cuda/move.h"

namespace sluice {

namespace {

// Rows that do not begin at multiples of 16 bytes keep tensor cores waiting:
// copies of large operands whose rows do are worth several times their cost.
class AlignedRows {
 public:
  AlignedRows(const KernelContext& ctx, const GpuGemm& gemm)
      : ctx_(ctx), given_(gemm), gemm_(gemm) {}

  Status Run() {
    bool by_tensor_cores =
        given_.dtype == DType::kBF16 || given_.dtype == DType::kF16 ||
        (given_.dtype == DType::kF32 && Tf32Allowed());
    constexpr int64_t kLarge = int64_t{1} << 28;
    if (!by_tensor_cores || given_.batch != 1 ||
        given_.m * given_.n < kLarge / given_.k) {
      return RunGemmByLibrary(ctx_, given_);
    }
    const GpuGemm& g = given_;
    if (g.n >= kWorth) Choose(g.a, g.dtype, g.m, g.k, &a_);
    if (g.m >= kWorth) Choose(g.b, g.dtype, g.k, g.n, &b_);
    if (g.k >= kWorth && g.c_row_step == 0) {
      Choose({g.c, g.n, false}, g.TypeOfC(), g.m, g.n, &c_);
    }
    if (bytes_ == 0) return RunGemmByLibrary(ctx_, g);
    SL_ASSIGN_OR_RETURN(Array scratch, ScratchFor(ctx_, bytes_));
    auto* base = AddressOf<char>(scratch);
    SL_RETURN_IF_ERROR(Take(a_, base, &gemm_.a));
    SL_RETURN_IF_ERROR(Take(b_, base, &gemm_.b));
    if (c_.step > 0) {
      gemm_.c = base + c_.offset;
      gemm_.c_row_step = c_.step;
    }
    SL_RETURN_IF_ERROR(RunGemmByLibrary(ctx_, gemm_));
    if (c_.step == 0) return OkStatus();
    return Copy(c_, gemm_.c, c_.step, given_.c, g.n, g.TypeOfC());
  }

 private:
  // A product with so many on the side that an operand does not have.
  static constexpr int64_t kWorth = 256;
  struct Aligned {
    int64_t rows = 0, columns = 0, step = 0;  // 0: it stays as it is
    int64_t offset = 0;
  };

  void Choose(const GpuMatrix& x, DType dtype, int64_t rows, int64_t columns,
              Aligned* out) {
    if (x.transposed) std::swap(rows, columns);
    int64_t unit = 16 / DTypeSize(dtype);
    if (x.row_step % unit == 0) return;
    *out = {rows, columns, (columns + unit - 1) / unit * unit, bytes_};
    bytes_ += (rows * out->step * DTypeSize(dtype) + 255) / 256 * 256;
  }

  Status Take(const Aligned& to, char* base, GpuMatrix* x) const {
    if (to.step == 0) return OkStatus();
    SL_RETURN_IF_ERROR(Copy(to, x->data, x->row_step, base + to.offset, to.step,
                            given_.dtype));
    x->data = base + to.offset;
    x->row_step = to.step;
    return OkStatus();
  }
  Status Copy(const Aligned& x, const void* from, int64_t from_step, void* to,
              int64_t to_step, DType dtype) const {
    SL_ASSIGN_OR_RETURN(Shape shape,
                        Shape::Make(std::array{x.rows, x.columns}));
    Strides here{}, there{};
    here[0] = from_step, here[1] = 1;
    there[0] = to_step, there[1] = 1;
    return CopyRegionOnGpu(ctx_, dtype, shape, from, here, to, there);
  }

  const KernelContext& ctx_;
  const GpuGemm& given_;
  GpuGemm gemm_;
  Aligned a_, b_, c_;
  int64_t bytes_ = 0;
};

// As source/gemm.cuh has it.
struct PlainArgs {
  const void *a, *b;
  void* c;
  int64_t m, n, k, batch;
  int64_t a_row, a_column, b_row, b_column;
  int64_t a_batch, b_batch, c_batch;
};

Status RunPlain(const KernelContext& ctx, const GpuGemm& g) {
  auto steps = [](const GpuMatrix& x) {
    return x.transposed ? std::pair<int64_t, int64_t>{1, x.row_step}
                        : std::pair<int64_t, int64_t>{x.row_step, 1};
  };
  auto [a_row, a_column] = steps(g.a);
  auto [b_row, b_column] = steps(g.b);
  PlainArgs args{
      g.a.data,       g.b.data,      g.c,      g.m,   g.n,      g.k,
      g.batch,        a_row,         a_column, b_row, b_column, g.a.batch_step,
      g.b.batch_step, g.c_batch_step};
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
    Status status = AlignedRows(ctx, gemm).Run();
    // Shapes the library does not take, and machines without it.
    if (status.code() != Code::kUnimplemented &&
        status.code() != Code::kUnavailable) {
      return status;
    }
  }
  return RunPlain(ctx, gemm);
}

}  // namespace sluice
