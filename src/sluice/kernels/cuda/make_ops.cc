// Ops that make elements from indices and single numbers, on a GPU.
#include <cstring>

#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/move.h"
#include "sluice/kernels/diagonal_view.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Zeros(KernelContext& ctx) { return FillOnGpu(ctx, ctx.out(0), 0); }
Status Ones(KernelContext& ctx) { return FillOnGpu(ctx, ctx.out(0), 1); }
Status Fill(KernelContext& ctx) {
  return FillFromOnGpu(ctx, ctx.out(0), ctx.in(1));
}

// Diagonals low to high of the matrices in y's last two axes: x's elements, or
// ones where x is null; 0 elsewhere.
Status Band(KernelContext& ctx, const void* x, int64_t low, int64_t high) {
  struct Args {
    const void* from;
    void* to;
    int64_t n, rows, columns, low, high;
    uint64_t on;
  };
  const Array& y = ctx.out(0);
  if (y.num_elements() == 0) return OkStatus();
  Args args = {x,
               AddressOf(y),
               y.num_elements(),
               y.dim(y.rank() - 2),
               y.dim(y.rank() - 1),
               low,
               high,
               ElementPattern(1, y.dtype())};
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(CUfunction band,
                      FileFunction(device, "make.cuh",
                                   MovedType(DTypeSize(y.dtype())), "band"));
  return LaunchCuda(ctx, band, GridFor(device, args.n), args);
}

Status Eye(KernelContext& ctx) {
  int64_t k = ctx.attr<int64_t>("k");
  return Band(ctx, nullptr, k, k);
}
Status Tril(KernelContext& ctx) {
  return Band(ctx, AddressOf(ctx.in(0)), INT64_MIN, ctx.attr<int64_t>("k"));
}
Status Triu(KernelContext& ctx) {
  return Band(ctx, AddressOf(ctx.in(0)), ctx.attr<int64_t>("k"), INT64_MAX);
}
Status MatrixBandPart(KernelContext& ctx) {
  int64_t lower = ctx.attr<int64_t>("lower");
  int64_t upper = ctx.attr<int64_t>("upper");
  return Band(ctx, AddressOf(ctx.in(0)), lower < 0 ? INT64_MIN : -lower,
              upper < 0 ? INT64_MAX : upper);
}

// x's last axis on diagonal k of out(0), 0 elsewhere.
Status OnDiagonal(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  SL_RETURN_IF_ERROR(FillOnGpu(ctx, y, 0));
  if (x.num_elements() == 0 || y.num_elements() == 0) return OkStatus();
  Array part;
  if (!diagonal::PartView(y, ctx.attr<int64_t>("k"), &part)) {
    return ctx.Error("cannot be formed from its inputs");
  }
  return CopyAllOnGpu(ctx, x, part);
}

Status OneHot(KernelContext& ctx) {
  struct Args {
    const void* index;
    void* to;
    int64_t n, depth;
    uint64_t on, off;
  };
  const Array& y = ctx.out(0);
  if (y.num_elements() == 0) return OkStatus();
  Args args = {AddressOf(ctx.in(0)),
               AddressOf(y),
               y.num_elements(),
               ctx.attr<int64_t>("depth"),
               ElementPattern(ctx.attr<double>("on"), y.dtype()),
               ElementPattern(ctx.attr<double>("off"), y.dtype())};
  std::string before =
      StrCat(MovedType(DTypeSize(y.dtype())),
             "using I = ", CudaTypeName(ctx.in(0).dtype()), ";\n");
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(CUfunction one_hot,
                      FileFunction(device, "one_hot.cuh", before, "one_hot"));
  return LaunchCuda(ctx, one_hot, GridFor(device, args.n), args);
}

Result<CUfunction> SequenceFunction(KernelContext& ctx, DType dtype,
                                    const char* name) {
  return FileFunction(GpuOf(ctx), "sequence.cuh",
                      StrCat("using T = ", CudaTypeName(dtype), ";\n"), name);
}

// The number of elements according to the op's shape function.
Result<int64_t> Count(KernelContext& ctx) {
  DType dtypes[3], out_dtype = ctx.in(0).dtype();
  PartialShape shapes[3], out;
  const Array* values[3];
  for (int i = 0; i < 3; ++i) {
    dtypes[i] = ctx.in(i).dtype();
    shapes[i] = PartialShape(ctx.in(i).shape());
    values[i] = &ctx.in(i);
  }
  ShapeContext sizes(ctx.op(), ctx.attrs(), dtypes, shapes, values,
                     {&out_dtype, 1}, {&out, 1});
  SL_RETURN_IF_ERROR(ctx.op().shape(sizes));
  return out[0];
}

// The host reads the three numbers: they determine the size.
Status Range(KernelContext& ctx) {
  struct Args {
    void* to = nullptr;
    int64_t n = 0;
    uint64_t start = 0, delta = 0;
  } args;
  DType dtype = ctx.in(0).dtype();
  SL_ASSIGN_OR_RETURN(args.n, Count(ctx));
  SL_RETURN_IF_ERROR(ctx.AllocateOut(0, dtype, Shape({args.n})));
  if (args.n == 0) return OkStatus();
  args.to = AddressOf(ctx.out(0));
  auto bits = [&](int i) {
    if (dtype == DType::kI32) {
      return static_cast<uint64_t>(ctx.in(i).data<int32_t>()[0]);
    }
    uint64_t v = 0;
    std::memcpy(&v, ctx.in(i).raw(), static_cast<size_t>(DTypeSize(dtype)));
    return v;
  };
  args.start = bits(0);
  args.delta = bits(2);
  SL_ASSIGN_OR_RETURN(CUfunction range, SequenceFunction(ctx, dtype, "range"));
  return LaunchCuda(ctx, range, GridFor(GpuOf(ctx), args.n), args);
}

Status Linspace(KernelContext& ctx) {
  struct Args {
    const void *start, *stop;
    void* to;
    int64_t n;
  };
  const Array& y = ctx.out(0);
  Args args = {AddressOf(ctx.in(0)), AddressOf(ctx.in(1)), AddressOf(y),
               y.num_elements()};
  if (args.n == 0) return OkStatus();
  SL_ASSIGN_OR_RETURN(CUfunction linspace,
                      SequenceFunction(ctx, y.dtype(), "linspace"));
  return LaunchCuda(ctx, linspace, GridFor(GpuOf(ctx), args.n), args);
}

SL_KERNEL(ZerosLike, kCuda, Kernel{.launch = Zeros, .strided_inputs = true});
SL_KERNEL(OnesLike, kCuda, Kernel{.launch = Ones, .strided_inputs = true});
SL_KERNEL(Fill, kCuda, Kernel{.launch = Fill});
SL_KERNEL(Eye, kCuda, Kernel{.launch = Eye});
SL_KERNEL(Tril, kCuda, Kernel{.launch = Tril, .in_place = true});
SL_KERNEL(Triu, kCuda, Kernel{.launch = Triu, .in_place = true});
SL_KERNEL(MatrixBandPart, kCuda, Kernel{.launch = MatrixBandPart});
SL_KERNEL(Diag, kCuda, Kernel{.launch = OnDiagonal, .strided_inputs = true});
SL_KERNEL(DiagPartGrad, kCuda,
          Kernel{.launch = OnDiagonal, .strided_inputs = true});
SL_KERNEL(OneHot, kCuda, Kernel{.launch = OneHot});
SL_KERNEL(Range, kCuda, Kernel{.launch = Range, .host_inputs = 7});
SL_KERNEL(Linspace, kCuda, Kernel{.launch = Linspace});

}  // namespace
}  // namespace sluice
