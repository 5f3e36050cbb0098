// Quantize and Dequantize on a GPU.
#include <bit>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/index_checks.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

// Layout as in source/quantize.cuh.
struct Args {
  const void* x = nullptr;
  void* y = nullptr;
  const void *scale = nullptr, *zero = nullptr;
  int64_t n = 0, entries = 1, inner = 1, low = 0, high = 0;
  CUdeviceptr check = 0;
};

// The valid zero points of an integer type.
void SetBounds(DType dtype, Args* args) {
  args->low = dtype == DType::kI32 ? INT32_MIN : dtype == DType::kI8 ? -128 : 0;
  args->high = dtype == DType::kI32  ? INT32_MAX
               : dtype == DType::kI8 ? 127
                                     : 255;
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &scale = ctx.in(1), &y = ctx.out(0);
  Args args;
  args.x = AddressOf(x);
  args.y = AddressOf(y);
  args.scale = AddressOf(scale);
  args.zero = AddressOf(ctx.in(2));
  args.n = y.num_elements();
  args.entries = scale.num_elements();
  if (scale.rank() > 0) {
    args.inner = AxisView(x.shape(), ctx.attr<int64_t>("axis")).inner;
  }
  SetBounds(y.dtype() == DType::kF32 ? x.dtype() : y.dtype(), &args);
  if (args.entries == 0) return OkStatus();
  std::string before = StrCat("using T = ", CudaTypeName(x.dtype()),
                              ";\nusing Q = ", CudaTypeName(y.dtype()), ";\n");
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(CUfunction check, FileFunction(device, "quantize.cuh",
                                                     before, "check_scales"));
  SL_ASSIGN_OR_RETURN(CUfunction convert,
                      FileFunction(device, "quantize.cuh", before, "quantize"));
  int64_t low = args.low, high = args.high;
  args.check = TakeCheckWith(ctx, [low, high](int64_t place, int64_t value) {
    int64_t entry = place / 2;
    return place % 2 == 0
               ? StrCat("scale ", entry, " is ",
                        std::bit_cast<float>(static_cast<int32_t>(value)),
                        "; wanted a finite number above 0")
               : StrCat("zero_point ", entry, " is ", value, "; wanted ", low,
                        " to ", high);
  });
  Status checked = LaunchCuda(ctx, check, GridFor(device, args.entries), args);
  CheckIssued(ctx);
  SL_RETURN_IF_ERROR(checked);
  if (args.n == 0) return OkStatus();
  return LaunchCuda(ctx, convert, GridFor(device, args.n), args);
}

SL_KERNEL(Quantize, kCuda, Kernel{.launch = Launch});
SL_KERNEL(Dequantize, kCuda, Kernel{.launch = Launch});

}  // namespace
}  // namespace sluice
