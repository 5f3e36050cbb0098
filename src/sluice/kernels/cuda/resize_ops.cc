// Resize and its gradient on a GPU.
#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/resize_mode.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

// Must agree with source/resize.cuh.
struct Axis {
  int64_t in = 0, out = 0;
  void *at = nullptr, *part = nullptr;
};
struct Args {
  const void* from = nullptr;
  void* to = nullptr;
  int64_t n = 0;
  Axis axis[2];
  int32_t nearest = 0, coordinates = 0;
};

// The workspace for the tables of the resized image's axes, in either
// direction.
template <bool gradient>
int64_t Workspace(const ShapeContext& c) {
  const PartialShape& y = gradient ? c.in(0) : c.out(0);
  return (y[2] + y[3]) * 16;
}

template <bool gradient>
Status Launch(KernelContext& ctx) {
  const Array &from = ctx.in(0), &to = ctx.out(0);
  const Array &x = gradient ? to : from, &y = gradient ? from : to;
  Args args;
  args.from = AddressOf(from);
  args.to = AddressOf(to);
  args.n = to.num_elements();
  if (args.n == 0) return OkStatus();
  auto* table = static_cast<int64_t*>(ctx.workspace());
  for (int i = 0; i < 2; ++i) {
    Axis& axis = args.axis[i];
    axis.in = x.dim(2 + i);
    axis.out = y.dim(2 + i);
    // Products of positions must fit into 64 bits there.
    if (axis.in > INT32_MAX / 2 || axis.out > INT32_MAX / 2) return NotServed();
    axis.at = table;
    axis.part = table + axis.out;
    table += 2 * axis.out;
  }
  args.nearest = ctx.attr<std::string>("mode") == "nearest" ? 1 : 0;
  args.coordinates =
      static_cast<int32_t>(resize_places::CoordinatesOf(ctx.attrs()));
  CudaDevice& device = GpuOf(ctx);
  std::string before = StrCat("using T = ", CudaTypeName(x.dtype()), ";\n");
  SL_ASSIGN_OR_RETURN(CUfunction tables, FileFunction(device, "resize.cuh",
                                                      before, "resize_tables"));
  SL_ASSIGN_OR_RETURN(CUfunction resize,
                      FileFunction(device, "resize.cuh", before,
                                   gradient ? "resize_grad" : "resize"));
  int64_t entries = args.axis[0].out + args.axis[1].out;
  if (entries > 0) {
    SL_RETURN_IF_ERROR(LaunchCuda(ctx, tables, GridFor(device, entries), args));
  }
  return LaunchCuda(ctx, resize, GridFor(device, args.n), args);
}

SL_KERNEL(Resize, kCuda,
          Kernel{.launch = Launch<false>, .workspace = Workspace<false>});
SL_KERNEL(ResizeGrad, kCuda,
          Kernel{.launch = Launch<true>, .workspace = Workspace<true>});

}  // namespace
}  // namespace sluice
