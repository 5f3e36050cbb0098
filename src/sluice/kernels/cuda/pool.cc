// Pooling and its gradients (source/pool.cuh).
#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/pool/pool_geometry.h"
#include "sluice/kernels/cuda/channels_last.h"
#include "sluice/kernels/cuda/slice_plan.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

// Must agree with source/pool.cuh.
struct GpuPoolSizes {
  int64_t in = 1, out = 1;
  int64_t kernel = 1, stride = 1, dilation = 1, pad = 0, pad_after = 0;
  int64_t count_padding = 0;
};
struct Args {
  GpuSlices s;
  GpuPoolSizes sizes[3];
  const void *x = nullptr, *v = nullptr, *dy = nullptr;
  void* y = nullptr;
  void* places = nullptr;
  int64_t results = 0, elements = 0, channels = 1;
};

class Pool {
 public:
  // `seen`: an operand with the layout of all of them.
  Pool(KernelContext& ctx, const Shape& x, const Shape& y, const Array& seen)
      : ctx_(ctx),
        last_(!seen.contiguous() &&
              LiesChannelsLast(seen.shape(), seen.strides())) {
    PoolGeometry g = MakePoolGeometry(ctx.attrs(), x, y);
    for (int k = 0; k < 3; ++k) {
      const PoolAxis& a = g.axis[k];
      args.sizes[k] = {a.in,       a.out, a.kernel,    a.stride,
                       a.dilation, a.pad, a.pad_after, a.count_padding};
      // Elements of a window, and windows of an element, about.
      int64_t adaptive = a.out == 0 ? 0 : a.in / a.out + 1;
      window_ *= a.kernel > 0 ? a.kernel : adaptive;
      around_ *= a.kernel > 0 ? a.kernel / a.stride + 1
                              : a.out / std::max<int64_t>(a.in, 1) + 1;
    }
    args.results = y.num_elements();
    args.channels = x.rank() > 1 ? x.dim(1) : 1;
    args.elements = x.num_elements();
    Specialize();
  }

  // `function` of each window of the results, or of each element.
  Status Windows(const char* function) {
    return Run(function, args.results, window_);
  }
  Status Elements(const char* function) {
    return Run(function, args.elements, around_);
  }

  Args args;

 private:
  Status Run(const char* function, int64_t n, int64_t each) {
    if (InPacks(function)) {
      CudaDevice& device = GpuOf(ctx_);
      DType dtype = ctx_.in(0).dtype();
      SL_ASSIGN_OR_RETURN(
          CUfunction kernel,
          FileFunction(device, "pool_packs.cuh", Before(function), "pool"));
      int64_t packs = n * DTypeSize(dtype) / 16;
      return LaunchCuda(ctx_, kernel, GridFor(device, packs), args);
    }
    // A slice is one result: large windows are a warp's.
    SlicePlan plan(n, each > 64 ? 32 : 1);
    return LaunchSlices(ctx_, "pool.cuh", Before(function), "pool", plan, args);
  }

  std::string Before(const char* function) const {
    return StrCat(ElementType(ctx_.in(0).dtype()), special_,
                  "\n#define SL_POOL ", function);
  }

  // Whether 16 bytes of adjacent channels can be processed at a time.
  bool InPacks(std::string_view function) const {
    if (!last_ || function == "AvgWindow" || args.v) return false;
    if (args.channels * DTypeSize(ctx_.in(0).dtype()) % 16 != 0) return false;
    auto aligned = [](const void* p) {
      return reinterpret_cast<uintptr_t>(p) % 16 == 0;
    };
    return aligned(args.x) && aligned(args.dy) && aligned(args.y) &&
           aligned(args.places);
  }

  // Constants that source/pool.cuh may know at compile time.
  void Specialize() {
    constexpr int64_t kShort = int64_t{1} << 30;
    bool is_short = args.elements < kShort && args.results < kShort;
    bool fixed = is_short;
    std::string windows;
    for (const GpuPoolSizes& s : args.sizes) {
      for (int64_t v : {s.in, s.out, s.kernel, s.stride, s.dilation, s.pad,
                        s.pad_after, s.kernel * s.dilation, s.in * s.out}) {
        is_short = is_short && v < kShort;
      }
      fixed = fixed && s.kernel > 0;
      windows += StrCat("{", s.kernel, ",", s.stride, ",", s.dilation, ",",
                        s.pad, ",", s.in == 1 && s.out == 1, "},");
    }
    special_ =
        StrCat("\n#define SL_LAST ", last_ ? 1 : 0, "\n#define SL_INDEX ",
               is_short ? "int32_t" : "int64_t",
               fixed ? StrCat("\n#define SL_WINDOWS {", windows, "}") : "");
  }

  KernelContext& ctx_;
  const bool last_;
  int64_t window_ = 1, around_ = 1;
  std::string special_;
};

Status Forward(KernelContext& ctx, const char* function, const void* v) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  if (y.num_elements() == 0) return OkStatus();
  Pool pool(ctx, x.shape(), y.shape(), x);
  pool.args.x = AddressOf(x);
  pool.args.v = v;
  pool.args.y = AddressOf(y);
  return pool.Windows(function);
}

Status MaxPool(KernelContext& ctx) {
  return Forward(ctx, "MaxWindow", nullptr);
}
Status AvgPool(KernelContext& ctx) {
  return Forward(ctx, "AvgWindow", nullptr);
}
Status MaxPoolPick(KernelContext& ctx) {
  return Forward(ctx, "MaxWindow", AddressOf(ctx.in(1)));
}

// x, dy -> dx. The positions of each window's maximum are computed first.
Status MaxPoolGrad(KernelContext& ctx) {
  const Array &x = ctx.in(0), &dy = ctx.in(1);
  if (x.num_elements() == 0) return OkStatus();
  Pool pool(ctx, x.shape(), dy.shape(), x);
  pool.args.x = AddressOf(x);
  pool.args.dy = AddressOf(dy);
  pool.args.y = AddressOf(ctx.out(0));
  pool.args.places = ctx.workspace();
  SL_RETURN_IF_ERROR(pool.Windows("MaxWindow"));
  return pool.Elements("PoolGrad<true>");
}
int64_t Places(const ShapeContext& c) {
  return c.in(1).ToShape().num_elements() * 8;
}

// dy, shape of x -> dx.
Status AvgPoolGrad(KernelContext& ctx) {
  const Array &dy = ctx.in(0), &dx = ctx.out(0);
  if (dx.num_elements() == 0) return OkStatus();
  Pool pool(ctx, dx.shape(), dy.shape(), dy);
  pool.args.dy = AddressOf(dy);
  pool.args.y = AddressOf(dx);
  return pool.Elements("PoolGrad<false>");
}

#define SL_POOLS(Op, ...)                \
  SL_KERNEL(Op##1D, kCuda, __VA_ARGS__); \
  SL_KERNEL(Op##2D, kCuda, __VA_ARGS__); \
  SL_KERNEL(Op##3D, kCuda, __VA_ARGS__)
#define SL_POOL_GRADS(Op, ...)               \
  SL_KERNEL(Op##1DGrad, kCuda, __VA_ARGS__); \
  SL_KERNEL(Op##2DGrad, kCuda, __VA_ARGS__); \
  SL_KERNEL(Op##3DGrad, kCuda, __VA_ARGS__)
constexpr Kernel kMaxGrad{.launch = MaxPoolGrad, .workspace = Places};
SL_POOLS(MaxPool, Kernel{.launch = MaxPool});
SL_POOLS(AvgPool, Kernel{.launch = AvgPool});
SL_POOL_GRADS(MaxPool, kMaxGrad);
SL_POOL_GRADS(AvgPool, Kernel{.launch = AvgPoolGrad});
SL_KERNEL(MaxPool1DPick, kCuda, Kernel{.launch = MaxPoolPick});
SL_KERNEL(MaxPool2DPick, kCuda, Kernel{.launch = MaxPoolPick});
SL_KERNEL(MaxPool3DPick, kCuda, Kernel{.launch = MaxPoolPick});
SL_KERNEL(AdaptiveAvgPool1D, kCuda, Kernel{.launch = AvgPool});
SL_KERNEL(AdaptiveAvgPool2D, kCuda, Kernel{.launch = AvgPool});
SL_KERNEL(AdaptiveAvgPool1DGrad, kCuda, Kernel{.launch = AvgPoolGrad});
SL_KERNEL(AdaptiveAvgPool2DGrad, kCuda, Kernel{.launch = AvgPoolGrad});
SL_KERNEL(AdaptiveMaxPool2D, kCuda, Kernel{.launch = MaxPool});
SL_KERNEL(AdaptiveMaxPool2DPick, kCuda, Kernel{.launch = MaxPoolPick});
SL_KERNEL(AdaptiveMaxPool2DGrad, kCuda, kMaxGrad);

constexpr ChannelsLast kOne{.inputs = 1, .outputs = 1};
constexpr ChannelsLast kTwo{.inputs = 3, .outputs = 1};
SL_CHANNELS_LAST(MaxPool2D, kOne);
SL_CHANNELS_LAST(AvgPool2D, kOne);
SL_CHANNELS_LAST(AdaptiveAvgPool2D, kOne);
SL_CHANNELS_LAST(AdaptiveMaxPool2D, kOne);
SL_CHANNELS_LAST(MaxPool2DGrad, kTwo);
SL_CHANNELS_LAST(AdaptiveMaxPool2DGrad, kTwo);
SL_CHANNELS_LAST(AvgPool2DGrad, kOne);
SL_CHANNELS_LAST(AdaptiveAvgPool2DGrad, kOne);

}  // namespace

}  // namespace sluice
