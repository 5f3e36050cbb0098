// Convolutions and their gradients on a GPU, by cuDNN; by plain kernels if
// cuDNN does not support them or is not installed.
#include <algorithm>
#include <map>

#include "sluice/device/tf32.h"
#include "sluice/kernels/cuda/channels_last.h"
#include "sluice/kernels/cuda/cudnn.h"
#include "sluice/kernels/cuda/plain_conv.h"
#include "sluice/op/by_library.h"
#include "sluice/op/record.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace sluice {

namespace {

constexpr int64_t kMostWorkspace = int64_t{1} << 30;
constexpr int kMostAlgorithms = 8;

cudnnDataType_t CudnnType(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return CUDNN_DATA_DOUBLE;
    case DType::kF16:
      return CUDNN_DATA_HALF;
    case DType::kBF16:
      return CUDNN_DATA_BFLOAT16;
    default:
      return CUDNN_DATA_FLOAT;
  }
}

bool IsStrict(DType dtype) { return dtype == DType::kF32 && !Tf32Allowed(); }

// The cuDNN descriptors of one convolution. Kept forever: programs repeat
// theirs.
struct ConvPlan {
  cudnnTensorDescriptor_t x = nullptr, y = nullptr;
  cudnnFilterDescriptor_t w = nullptr;
  cudnnConvolutionDescriptor_t conv = nullptr;
  int algorithm = -1;  // -1: cuDNN supports none
  size_t workspace = 0;
};

// Whether equal padding on both sides gives the same windows: positions behind
// the last window do not matter.
bool Symmetric(const ConvGeometry& g) {
  for (int i = 0; i < kConvAxes; ++i) {
    int64_t reach = (g.kernel[i] - 1) * g.dilation[i] + 1;
    int64_t room = g.in[i] + 2 * g.pad[i] - reach;
    if (g.pad[i] < 0 || room < 0 || room / g.stride[i] + 1 != g.out[i]) {
      return false;
    }
  }
  return true;
}

// Fits cuDNN's counts.
bool Small(const ConvGeometry& g) {
  auto fits = [](int64_t v) { return v < (int64_t{1} << 31); };
  return fits(g.batch * g.in_channels * g.groups * g.in_pixels()) &&
         fits(g.batch * g.out_channels * g.groups * g.out_pixels());
}

// `last`: all three have the channels-last layout.
Status Describe(const Cudnn& cudnn, const ConvGeometry& g, DType dtype,
                bool last, ConvPlan* plan) {
#define SL_DNN(call) \
  SL_RETURN_IF_ERROR(CudnnStatus(cudnn, cudnn.call, "describing a convolution"))
  // Two spatial axes if the first is trivial, otherwise three.
  int first = g.in[0] == 1 && g.kernel[0] == 1 && g.out[0] == 1 && g.pad[0] == 0
                  ? 1
                  : 0;
  int axes = kConvAxes - first;
  auto narrow = [](int64_t v) { return static_cast<int>(v); };
  auto tensor = [&](int64_t channels, const ConvAxes& size,
                    cudnnTensorDescriptor_t* out) -> Status {
    int dims[5] = {narrow(g.batch), narrow(channels)}, strides[5];
    for (int i = 0; i < axes; ++i) dims[2 + i] = narrow(size[first + i]);
    int step = last ? dims[1] : 1;
    for (int i = axes + 1; i >= 0; --i) {
      if (last && i == 1) continue;
      strides[i] = step;
      step *= dims[i];
    }
    if (last) strides[1] = 1;
    SL_DNN(cudnnCreateTensorDescriptor(out));
    SL_DNN(cudnnSetTensorNdDescriptor(*out, CudnnType(dtype), axes + 2, dims,
                                      strides));
    return OkStatus();
  };
  SL_RETURN_IF_ERROR(tensor(g.in_channels * g.groups, g.in, &plan->x));
  SL_RETURN_IF_ERROR(tensor(g.out_channels * g.groups, g.out, &plan->y));
  int filter[5] = {narrow(g.out_channels * g.groups), narrow(g.in_channels)};
  int pad[3], stride[3], dilation[3];
  for (int i = 0; i < axes; ++i) {
    filter[2 + i] = narrow(g.kernel[first + i]);
    pad[i] = narrow(g.pad[first + i]);
    stride[i] = narrow(g.stride[first + i]);
    dilation[i] = narrow(g.dilation[first + i]);
  }
  SL_DNN(cudnnCreateFilterDescriptor(&plan->w));
  SL_DNN(cudnnSetFilterNdDescriptor(
      plan->w, CudnnType(dtype), last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW,
      axes + 2, filter));
  SL_DNN(cudnnCreateConvolutionDescriptor(&plan->conv));
  SL_DNN(cudnnSetConvolutionNdDescriptor(
      plan->conv, axes, pad, stride, dilation, CUDNN_CROSS_CORRELATION,
      dtype == DType::kF64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT));
  SL_DNN(cudnnSetConvolutionGroupCount(plan->conv, narrow(g.groups)));
  SL_DNN(cudnnSetConvolutionMathType(
      plan->conv, IsStrict(dtype) ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH));
  return OkStatus();
}

// Algorithms with transforms, which lose digits that f32 without TF32 promises.
bool Transforms(cudnnConvolutionFwdAlgo_t algorithm) {
  return algorithm == CUDNN_CONVOLUTION_FWD_ALGO_FFT ||
         algorithm == CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING ||
         algorithm == CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD ||
         algorithm == CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED;
}
bool Transforms(cudnnConvolutionBwdDataAlgo_t algorithm) {
  return algorithm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT ||
         algorithm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING ||
         algorithm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD ||
         algorithm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED;
}
bool Transforms(cudnnConvolutionBwdFilterAlgo_t algorithm) {
  return algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT ||
         algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING ||
         algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD ||
         algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED;
}

// The first deterministic algorithm whose workspace fits.
template <class Perf>
void Choose(std::span<const Perf> found, bool strict, ConvPlan* plan) {
  for (const Perf& perf : found) {
    if (perf.status == CUDNN_STATUS_SUCCESS &&
        perf.determinism == CUDNN_DETERMINISTIC &&
        !(strict && Transforms(perf.algo)) &&
        static_cast<int64_t>(perf.memory) <= kMostWorkspace) {
      plan->algorithm = static_cast<int>(perf.algo);
      plan->workspace = perf.memory;
      return;
    }
  }
}

Status ChooseAlgorithm(const Cudnn& cudnn, cudnnHandle_t handle, ConvPass pass,
                       bool strict, ConvPlan* plan) {
  int count = 0;
  auto names = [&](auto& perfs) {
    return std::span<const std::remove_reference_t<decltype(perfs[0])>>(
        perfs, static_cast<size_t>(count));
  };
  switch (pass) {
    case ConvPass::kForward: {
      cudnnConvolutionFwdAlgoPerf_t perfs[kMostAlgorithms];
      SL_DNN(cudnnGetConvolutionForwardAlgorithm_v7(
          handle, plan->x, plan->w, plan->conv, plan->y, kMostAlgorithms,
          &count, perfs));
      Choose(names(perfs), strict, plan);
      break;
    }
    case ConvPass::kInputGrad: {
      cudnnConvolutionBwdDataAlgoPerf_t perfs[kMostAlgorithms];
      SL_DNN(cudnnGetConvolutionBackwardDataAlgorithm_v7(
          handle, plan->w, plan->y, plan->conv, plan->x, kMostAlgorithms,
          &count, perfs));
      Choose(names(perfs), strict, plan);
      break;
    }
    case ConvPass::kFilterGrad: {
      cudnnConvolutionBwdFilterAlgoPerf_t perfs[kMostAlgorithms];
      SL_DNN(cudnnGetConvolutionBackwardFilterAlgorithm_v7(
          handle, plan->x, plan->y, plan->conv, plan->w, kMostAlgorithms,
          &count, perfs));
      Choose(names(perfs), strict, plan);
      break;
    }
  }
  return OkStatus();
#undef SL_DNN
}

using PlanKey = std::vector<int64_t>;

PlanKey KeyOf(const CudaDevice& device, const ConvGeometry& g, DType dtype,
              bool last, ConvPass pass) {
  PlanKey key = {device.name().index.value_or(0),
                 static_cast<int64_t>(dtype),
                 static_cast<int64_t>(pass),
                 last,
                 Tf32Allowed(),
                 g.batch,
                 g.groups,
                 g.in_channels,
                 g.out_channels};
  for (const ConvAxes* axes :
       {&g.in, &g.out, &g.kernel, &g.stride, &g.dilation, &g.pad}) {
    key.insert(key.end(), std::begin(*axes), std::end(*axes));
  }
  return key;
}

// Unimplemented: cuDNN does not support these sizes, or is not installed.
Status RunByLibrary(const KernelContext& ctx, ConvPass pass,
                    const ConvGeometry& g, const ConvOperands& on) {
  DType dtype = on.x.dtype();
  auto lies_last = [](const Array& a) {
    return !a.contiguous() && LiesChannelsLast(a.shape(), a.strides());
  };
  bool last = lies_last(on.x) || lies_last(on.y) || lies_last(on.w);
  void *x = AddressOf(on.x), *w = AddressOf(on.w), *y = AddressOf(on.y);
  if (!Symmetric(g) || !Small(g)) return NotServed();
  CudaDevice& device = GpuOf(ctx);
  Result<const Cudnn*> opened = Cudnn::Open();
  if (!opened.ok()) return NotServed();
  const Cudnn& cudnn = **opened;
  SL_ASSIGN_OR_RETURN(CudnnHandle * handle, CudnnHandle::For(device));
  static auto& plans = *new std::map<PlanKey, ConvPlan>;
  MutexLock lock(handle->mu);
  PlanKey key = KeyOf(device, g, dtype, last, pass);
  auto it = plans.find(key);
  if (it == plans.end()) {
    ConvPlan plan;
    SL_RETURN_IF_ERROR(Describe(cudnn, g, dtype, last, &plan));
    SL_RETURN_IF_ERROR(
        ChooseAlgorithm(cudnn, handle->handle, pass, IsStrict(dtype), &plan));
    it = plans.emplace(std::move(key), plan).first;
  }
  const ConvPlan& plan = it->second;
  if (plan.algorithm < 0) return NotServed();
  Array space;
  if (plan.workspace > 0) {
    SL_ASSIGN_OR_RETURN(space,
                        ScratchFor(ctx, static_cast<int64_t>(plan.workspace)));
  }
  void* scratch = space ? AddressOf(space) : nullptr;
  SL_RETURN_IF_ERROR(
      CudnnStatus(cudnn, cudnn.cudnnSetStream(handle->handle, StreamOf(ctx)),
                  "choosing a stream"));
  float one = 1, zero = 0;
  double one_f64 = 1, zero_f64 = 0;
  bool wide = dtype == DType::kF64;
  const void* alpha = wide ? static_cast<const void*>(&one_f64) : &one;
  const void* beta = wide ? static_cast<const void*>(&zero_f64) : &zero;
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
  switch (pass) {
    case ConvPass::kForward:
      status = cudnn.cudnnConvolutionForward(
          handle->handle, alpha, plan.x, x, plan.w, w, plan.conv,
          static_cast<cudnnConvolutionFwdAlgo_t>(plan.algorithm), scratch,
          plan.workspace, beta, plan.y, y);
      break;
    case ConvPass::kInputGrad:
      status = cudnn.cudnnConvolutionBackwardData(
          handle->handle, alpha, plan.w, w, plan.y, y, plan.conv,
          static_cast<cudnnConvolutionBwdDataAlgo_t>(plan.algorithm), scratch,
          plan.workspace, beta, plan.x, x);
      break;
    case ConvPass::kFilterGrad:
      status = cudnn.cudnnConvolutionBackwardFilter(
          handle->handle, alpha, plan.x, x, plan.y, y, plan.conv,
          static_cast<cudnnConvolutionBwdFilterAlgo_t>(plan.algorithm), scratch,
          plan.workspace, beta, plan.w, w);
      break;
  }
  if (status == CUDNN_STATUS_NOT_SUPPORTED) return NotServed();
  return CudnnStatus(cudnn, status, "convolving");
}

Status Run(const KernelContext& ctx, ConvPass pass, const ConvOperands& on) {
  for (const Array* a : {&on.x, &on.w, &on.y}) {
    if (a->num_elements() == 0) return NotServed();
  }
  // cuDNN has no integer convolution that wraps, either.
  if (!kFloats.contains(on.x.dtype())) return NotServed();
  ConvGeometry g =
      MakeConvGeometry(ctx.attrs(), on.x.shape(), on.w.shape(), on.y.shape());
  Status status = RunByLibrary(ctx, pass, g, on);
  if (status.code() != Code::kUnimplemented) return status;
  return RunPlainConv(ctx, pass, g, on);
}

Status LaunchForward(KernelContext& ctx) {
  return Run(ctx, ConvPass::kForward, {ctx.in(0), ctx.in(1), ctx.out(0)});
}
Status LaunchInputGrad(KernelContext& ctx) {
  return Run(ctx, ConvPass::kInputGrad, {ctx.out(0), ctx.in(1), ctx.in(0)});
}
Status LaunchFilterGrad(KernelContext& ctx) {
  return Run(ctx, ConvPass::kFilterGrad, {ctx.in(0), ctx.out(0), ctx.in(1)});
}

SL_KERNEL(Conv1D, kCuda, {.launch = LaunchForward});
SL_BY_LIBRARY(Conv1D);
SL_KERNEL(Conv2D, kCuda, {.launch = LaunchForward});
SL_BY_LIBRARY(Conv2D);
SL_KERNEL(Conv3D, kCuda, {.launch = LaunchForward});
SL_BY_LIBRARY(Conv3D);
SL_KERNEL(Conv1DInputGrad, kCuda, {.launch = LaunchInputGrad});
SL_BY_LIBRARY(Conv1DInputGrad);
SL_KERNEL(Conv2DInputGrad, kCuda, {.launch = LaunchInputGrad});
SL_BY_LIBRARY(Conv2DInputGrad);
SL_KERNEL(Conv3DInputGrad, kCuda, {.launch = LaunchInputGrad});
SL_BY_LIBRARY(Conv3DInputGrad);
SL_KERNEL(Conv1DFilterGrad, kCuda, {.launch = LaunchFilterGrad});
SL_BY_LIBRARY(Conv1DFilterGrad);
SL_KERNEL(Conv2DFilterGrad, kCuda, {.launch = LaunchFilterGrad});
SL_BY_LIBRARY(Conv2DFilterGrad);
SL_KERNEL(Conv3DFilterGrad, kCuda, {.launch = LaunchFilterGrad});
SL_BY_LIBRARY(Conv3DFilterGrad);
// The input gradient with x in dy's place.
SL_KERNEL(ConvTranspose1D, kCuda, {.launch = LaunchInputGrad});
SL_BY_LIBRARY(ConvTranspose1D);
SL_KERNEL(ConvTranspose2D, kCuda, {.launch = LaunchInputGrad});
SL_BY_LIBRARY(ConvTranspose2D);
SL_KERNEL(ConvTranspose3D, kCuda, {.launch = LaunchInputGrad});
SL_BY_LIBRARY(ConvTranspose3D);

constexpr ChannelsLast kWanted{.inputs = 3, .outputs = 1, .wanted = true};
SL_CHANNELS_LAST(Conv2D, kWanted);
SL_CHANNELS_LAST(Conv2DInputGrad, kWanted);
SL_CHANNELS_LAST(Conv2DFilterGrad, kWanted);
SL_CHANNELS_LAST(ConvTranspose2D, kWanted);

}  // namespace

}  // namespace sluice
