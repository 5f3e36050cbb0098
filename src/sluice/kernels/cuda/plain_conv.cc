#include "sluice/kernels/cuda/plain_conv.h"

#include <algorithm>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

constexpr int kAxes = kConvAxes + 2;

// Layout as in source/conv.cuh.
struct Args {
  const void *x, *w, *y;
  void* out;
  int64_t groups, channels, rows;
  int64_t batch, in[3], sizes[3], kernel[3];
  int64_t stride[3], dilation[3], pad[3];
  int64_t x_step[kAxes], w_step[kAxes], y_step[kAxes];
  int64_t n;
};

// The strides of the first two axes and of the spatial ones, which are
// right-aligned.
void StepsOf(const Array& array, int64_t* steps) {
  std::fill_n(steps, kAxes, 0);
  for (int i = 0; i < array.rank(); ++i) {
    int axis = i < 2 ? i : i + kAxes - array.rank();
    steps[axis] = array.strides()[static_cast<size_t>(i)];
  }
}

}  // namespace

Status RunPlainConv(const KernelContext& ctx, ConvPass pass,
                    const ConvGeometry& g, const ConvOperands& on) {
  const Array& out = pass == ConvPass::kForward     ? on.y
                     : pass == ConvPass::kInputGrad ? on.x
                                                    : on.w;
  const char* name = pass == ConvPass::kForward     ? "conv_forward"
                     : pass == ConvPass::kInputGrad ? "conv_input_grad"
                                                    : "conv_filter_grad";
  Args args{};
  args.x = AddressOf(on.x);
  args.w = AddressOf(on.w);
  args.y = AddressOf(on.y);
  args.out = AddressOf(out);
  args.groups = g.groups;
  args.channels = g.in_channels;
  args.rows = g.out_channels;
  args.batch = g.batch;
  std::copy_n(g.in, kConvAxes, args.in);
  std::copy_n(g.out, kConvAxes, args.sizes);
  std::copy_n(g.kernel, kConvAxes, args.kernel);
  std::copy_n(g.stride, kConvAxes, args.stride);
  std::copy_n(g.dilation, kConvAxes, args.dilation);
  std::copy_n(g.pad, kConvAxes, args.pad);
  StepsOf(on.x, args.x_step);
  StepsOf(on.w, args.w_step);
  StepsOf(on.y, args.y_step);
  args.n = out.num_elements();
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(
      CUfunction function,
      FileFunction(device, "conv.cuh",
                   StrCat("using T = ", CudaTypeName(out.dtype()), ";"), name));
  return LaunchCuda(ctx, function, GridFor(device, args.n), args);
}

}  // namespace sluice
