#include "sluice/kernels/cpu/conv/conv_op.h"

#include "sluice/kernels/cpu/conv/correlate.h"
#include "sluice/kernels/cpu/conv/few_lines.h"
#include "sluice/kernels/cpu/conv/filter_grad.h"
#include "sluice/kernels/cpu/conv/integer_conv.h"
#include "sluice/kernels/cpu/conv/scatter_grad.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

namespace {

// The positions of the image, the kernel and the result of the forward pass in
// an op: input i, or output 0 as kOut.
constexpr int kOut = -1;
struct Places {
  int x, w, y;
};
constexpr Places kForward{0, 1, kOut}, kTranspose{kOut, 1, 0};
constexpr Places kInputGrad{kOut, 1, 0}, kFilterGrad{0, kOut, 1};

ConvGeometry GeometryOf(const KernelContext& ctx, const Places& p) {
  auto shape = [&](int i) -> const Shape& {
    return i == kOut ? ctx.out(0).shape() : ctx.in(i).shape();
  };
  return MakeConvGeometry(ctx.attrs(), shape(p.x), shape(p.w), shape(p.y));
}
ConvGeometry GeometryOf(const ShapeContext& c, const Places& p) {
  auto shape = [&](int i) {
    return i == kOut ? c.out(0).ToShape() : c.in(i).ToShape();
  };
  return MakeConvGeometry(c.attrs(), shape(p.x), shape(p.w), shape(p.y));
}

// Two operations per kernel element, output position, image and channel pair.
double CostOf(const ShapeContext& c, const Places& p) {
  for (int i : {p.x, p.w, p.y}) {
    const PartialShape& s = i == kOut ? c.out(0) : c.in(i);
    if (!s.fully_known()) return 1e8;
  }
  ConvGeometry g = GeometryOf(c, p);
  return 2.0 * static_cast<double>(g.batch) *
         static_cast<double>(g.out_pixels()) *
         static_cast<double>(g.groups * g.out_channels) *
         static_cast<double>(g.in_channels) * static_cast<double>(g.taps());
}

// Strided, or with so few image channels that only the taps fill a tile. Taps
// of a single channel leave too much of it empty, where lines can be summed.
template <class T>
bool Scattered(const ConvGeometry& g) {
  if (g.stride[0] > 1 || g.stride[1] > 1 || g.stride[2] > 1) return true;
  if (g.in_channels == 1 && FewLinesFits<T>(InputGradCorrelation(g))) {
    return false;
  }
  return g.in_channels <= 4 && g.out_channels >= 8 &&
         g.in_channels * g.taps() >= 16;
}

template <class T>
int64_t InputGradWorkspace(const ConvGeometry& g) {
  return Scattered<T>(g) ? ScatterGradWorkspace<T>(g)
                         : CorrelateWorkspace<T>(InputGradCorrelation(g));
}
template <class T>
void InputGrad(const ConvGeometry& g, const T* dy, const T* w, T* dx,
               const KernelContext& ctx) {
  if (Scattered<T>(g)) {
    ScatterGrad(g, w, dy, dx, ctx);
  } else {
    Correlate(InputGradCorrelation(g), w, dy, dx, ctx);
  }
}

// Inputs 0 and 1 are y's gradient (or the transposed convolution's image) and
// the kernel.
Status LaunchInputGrad(KernelContext& ctx, const Places& p) {
  ConvGeometry g = GeometryOf(ctx, p);
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    InputGrad(g, ctx.in(0).data<T>(), ctx.in(1).data<T>(),
              ctx.out(0).mutable_data<T>(), ctx);
  });
  return OkStatus();
}
int64_t WorkspaceOfInputGrad(const ShapeContext& c, const Places& p) {
  ConvGeometry g = GeometryOf(c, p);
  int64_t bytes = 0;
  DispatchFloats(c.in_dtype(0),
                 [&]<class T>() { bytes = InputGradWorkspace<T>(g); });
  return bytes;
}

}  // namespace

Status conv_kernel(KernelContext& ctx) {
  ConvGeometry g = GeometryOf(ctx, kForward);
  if (kConvInts.contains(ctx.in(0).dtype())) {
    IntegerConv(g, ctx);
    return OkStatus();
  }
  Correlation c = ForwardCorrelation(g);
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    Correlate(c, ctx.in(1).data<T>(), ctx.in(0).data<T>(),
              ctx.out(0).mutable_data<T>(), ctx);
  });
  return OkStatus();
}
int64_t conv_workspace(const ShapeContext& c) {
  ConvGeometry g = GeometryOf(c, kForward);
  if (kConvInts.contains(c.in_dtype(0))) {
    return IntegerConvWorkspace(g, c.in_dtype(0));
  }
  Correlation correlation = ForwardCorrelation(g);
  int64_t bytes = 0;
  DispatchFloats(c.in_dtype(0), [&]<class T>() {
    bytes = CorrelateWorkspace<T>(correlation);
  });
  return bytes;
}
double conv_cost(const ShapeContext& c) { return CostOf(c, kForward); }

Status conv_transpose_kernel(KernelContext& ctx) {
  if (kConvInts.contains(ctx.in(0).dtype())) {
    IntegerConvTranspose(GeometryOf(ctx, kTranspose), ctx);
    return OkStatus();
  }
  return LaunchInputGrad(ctx, kTranspose);
}
int64_t conv_transpose_workspace(const ShapeContext& c) {
  if (kConvInts.contains(c.in_dtype(0))) {
    return IntegerConvTransposeWorkspace(GeometryOf(c, kTranspose),
                                         c.in_dtype(0));
  }
  return WorkspaceOfInputGrad(c, kTranspose);
}
double conv_transpose_cost(const ShapeContext& c) {
  return CostOf(c, kTranspose);
}

Status conv_input_grad_kernel(KernelContext& ctx) {
  return LaunchInputGrad(ctx, kInputGrad);
}
int64_t conv_input_grad_workspace(const ShapeContext& c) {
  return WorkspaceOfInputGrad(c, kInputGrad);
}
double conv_input_grad_cost(const ShapeContext& c) {
  return CostOf(c, kInputGrad);
}

Status conv_filter_grad_kernel(KernelContext& ctx) {
  ConvGeometry g = GeometryOf(ctx, kFilterGrad);
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    FilterGrad(g, ctx.in(0).data<T>(), ctx.in(1).data<T>(),
               ctx.out(0).mutable_data<T>(), ctx);
  });
  return OkStatus();
}
int64_t conv_filter_grad_workspace(const ShapeContext& c) {
  ConvGeometry g = GeometryOf(c, kFilterGrad);
  int64_t bytes = 0;
  DispatchFloats(c.in_dtype(0),
                 [&]<class T>() { bytes = FilterGradWorkspace<T>(g); });
  return bytes;
}
double conv_filter_grad_cost(const ShapeContext& c) {
  return CostOf(c, kFilterGrad);
}

}  // namespace sluice
