#include "sluice/kernels/cuda/cudnn.h"

#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/open_library.h"
#include "sluice/kernels/cuda/per_device.h"

// The older convolution functions exist in every version.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace sluice {

namespace {

Result<const Cudnn*> OpenCudnn() {
  constexpr const char* kNames[] = {"libcudnn.so.9", "libcudnn.so"};
  SL_ASSIGN_OR_RETURN(void* library, OpenCudaLibrary(kNames));
  auto* cudnn = new Cudnn;
#define SL_LOAD(name) \
  SL_RETURN_IF_ERROR(LoadCudaFunction(library, #name, &cudnn->name));
  SL_CUDNN_FUNCTIONS(SL_LOAD)
#undef SL_LOAD
  return cudnn;
}

Result<CudnnHandle*> MakeHandle(CudaDevice& device) {
  SL_ASSIGN_OR_RETURN(const Cudnn* cudnn, Cudnn::Open());
  auto* made = new CudnnHandle;
  MutexLock lock(made->mu);
  device.Enter();
  SL_RETURN_IF_ERROR(
      CudnnStatus(*cudnn, cudnn->cudnnCreate(&made->handle), "starting cuDNN"));
  SL_RETURN_IF_ERROR(CudnnStatus(
      *cudnn, cudnn->cudnnSetStream(made->handle, device.stream().handle()),
      "starting cuDNN"));
  return made;
}

}  // namespace

Result<const Cudnn*> Cudnn::Open() {
  static const auto& opened = *new Result<const Cudnn*>(OpenCudnn());
  return opened;
}

Result<CudnnHandle*> CudnnHandle::For(CudaDevice& device) {
  static auto& made = *new PerDevice<CudnnHandle>;
  return made.For(device, &MakeHandle);
}

Status CudnnStatus(const Cudnn& cudnn, cudnnStatus_t status,
                   std::string_view doing) {
  if (status == CUDNN_STATUS_SUCCESS) return OkStatus();
  return Internal(StrCat(doing, ": ", cudnn.cudnnGetErrorString(status)));
}

}  // namespace sluice
