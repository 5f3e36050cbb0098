#include "sluice/kernels/cuda/aligned_gemm.h"

#include <utility>

#include "sluice/kernels/cuda/library_gemm.h"
#include "sluice/kernels/cuda/move.h"
#include "sluice/kernels/cuda/tensor_cores.h"

namespace sluice {

namespace {

// Layout as in source/pad_rows.cuh.
struct PadArgs {
  const void* from = nullptr;
  void* to = nullptr;
  int64_t rows = 0, columns = 0, from_step = 0;
  int64_t to_rows = 0, to_step = 0;
};

// Products below this many multiplications are left as they are, and operands
// of those that are not used often enough to be worth a copy.
constexpr int64_t kLarge = int64_t{1} << 28;
constexpr int64_t kWorth = 256;

class AlignedGemm {
 public:
  AlignedGemm(const KernelContext& ctx, const GpuGemm& gemm)
      : ctx_(ctx), given_(gemm), unit_(16 / DTypeSize(gemm.dtype)) {}

  Status Run() {
    const GpuGemm& g = given_;
    // Pads the sizes along which some operand's rows are contiguous.
    int64_t m = g.a.transposed ? Whole(g.m) : g.m;
    int64_t n = Whole(g.n);
    int64_t k = !g.a.transposed || g.b.transposed ? Whole(g.k) : g.k;
    bool large = g.batch == 1 && !g.add && g.c_row_step == 0 &&
                 g.TypeOfC() == g.dtype && g.m * g.n >= kLarge / g.k;
    bool worth = g.m >= kWorth && g.n >= kWorth && g.k >= kWorth;
    if (!ByTensorCores(g.dtype) || !large || !worth ||
        (m == g.m && n == g.n && k == g.k)) {
      return RunGemmByLibrary(ctx_, g);
    }
    GpuGemm whole = g;
    whole.m = m, whole.n = n, whole.k = k;
    Copy a = CopyOf(g.a, g.m, g.k, m, k), b = CopyOf(g.b, g.k, g.n, k, n);
    Copy c = CopyOf({g.c, g.n, false}, g.m, g.n, m, n);
    if (bytes_ == 0) return RunGemmByLibrary(ctx_, g);
    SL_ASSIGN_OR_RETURN(Array scratch, ScratchFor(ctx_, bytes_));
    base_ = AddressOf<char>(scratch);
    SL_RETURN_IF_ERROR(Pad(a, &whole.a));
    SL_RETURN_IF_ERROR(Pad(b, &whole.b));
    if (c.needed) whole.c = base_ + c.offset;
    SL_RETURN_IF_ERROR(RunGemmByLibrary(ctx_, whole));
    return c.needed ? Cut(c) : OkStatus();
  }

 private:
  // An operand in its current and its required layout.
  struct Copy {
    bool needed = false;
    int64_t rows = 0, columns = 0, to_rows = 0, step = 0;
    int64_t offset = 0;  // in scratch space
  };

  int64_t Whole(int64_t n) const { return (n + unit_ - 1) / unit_ * unit_; }

  Copy CopyOf(const GpuMatrix& x, int64_t rows, int64_t columns,
              int64_t to_rows, int64_t to_columns) {
    if (x.transposed) {
      std::swap(rows, columns);
      std::swap(to_rows, to_columns);
    }
    if (rows == to_rows && columns == to_columns && x.row_step % unit_ == 0) {
      return {};
    }
    Copy copy{true, rows, columns, to_rows, Whole(to_columns), bytes_};
    int64_t bytes = to_rows * copy.step * DTypeSize(given_.dtype);
    bytes_ += (bytes + 255) / 256 * 256;
    return copy;
  }

  Status Launch(const char* name, int64_t rows, const PadArgs& args) const {
    CudaDevice& device = GpuOf(ctx_);
    SL_ASSIGN_OR_RETURN(CUfunction function,
                        FileFunction(device, "pad_rows.cuh",
                                     MovedType(DTypeSize(given_.dtype)), name));
    return LaunchCuda(ctx_, function, GridFor(device, rows * 256), args);
  }
  Status Pad(const Copy& copy, GpuMatrix* x) const {
    if (!copy.needed) return OkStatus();
    PadArgs args{x->data,     base_ + copy.offset, copy.rows, copy.columns,
                 x->row_step, copy.to_rows,        copy.step};
    x->data = args.to;
    x->row_step = copy.step;
    return Launch("pad_rows", copy.to_rows, args);
  }
  Status Cut(const Copy& copy) const {
    PadArgs args{base_ + copy.offset, given_.c,     copy.rows, copy.columns,
                 copy.step,           copy.to_rows, given_.n};
    return Launch("cut_rows", copy.rows, args);
  }

  const KernelContext& ctx_;
  const GpuGemm& given_;
  const int64_t unit_;  // elements in 16 bytes
  int64_t bytes_ = 0;
  char* base_ = nullptr;
};

}  // namespace

Status RunAlignedGemm(const KernelContext& ctx, const GpuGemm& gemm) {
  return AlignedGemm(ctx, gemm).Run();
}

}  // namespace sluice
