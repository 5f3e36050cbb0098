// AddN on a GPU: one pass over all its inputs.
#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

constexpr int kMaxAddends = 128;  // as in source/add_n.cuh

Status AddN(KernelContext& ctx) {
  struct Args {
    void* out = nullptr;
    int64_t n = 0, count = 0;
    const void* in[kMaxAddends] = {};
  } args;
  const Array& y = ctx.out(0);
  args.n = y.num_elements();
  if (args.n == 0) return OkStatus();
  if (ctx.num_inputs() > kMaxAddends) return NotServed();
  args.out = AddressOf(y);
  args.count = ctx.num_inputs();
  for (int i = 0; i < ctx.num_inputs(); ++i) args.in[i] = AddressOf(ctx.in(i));
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(
      CUfunction add,
      FileFunction(device, "add_n.cuh",
                   StrCat("using T = ", CudaTypeName(y.dtype()), ";\n"),
                   "add_n"));
  return LaunchCuda(ctx, add, GridFor(device, args.n), args);
}

SL_KERNEL(AddN, kCuda, Kernel{.launch = AddN, .in_place = true});

}  // namespace
}  // namespace sluice
