#include "sluice/kernels/cuda/cublas_lt.h"

#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/open_library.h"
#include "sluice/kernels/cuda/per_device.h"
#include "sluice/tensor/array.h"

namespace sluice {

namespace {

Result<const CublasLt*> OpenLt() {
  constexpr const char* kNames[] = {"libcublasLt.so.13", "libcublasLt.so.12",
                                    "libcublasLt.so"};
  SL_ASSIGN_OR_RETURN(void* library, OpenCudaLibrary(kNames));
  auto* lt = new CublasLt;
#define SL_LOAD(name) \
  SL_RETURN_IF_ERROR(LoadCudaFunction(library, #name, &lt->name));
  SL_CUBLAS_LT_FUNCTIONS(SL_LOAD)
#undef SL_LOAD
  return lt;
}

Result<const CublasLtHandle*> MakeHandle(CudaDevice& device) {
  SL_ASSIGN_OR_RETURN(const CublasLt* lt, CublasLt::Open());
  auto* made = new CublasLtHandle;
  device.Enter();
  if (cublasStatus_t status = lt->cublasLtCreate(&made->handle);
      status != CUBLAS_STATUS_SUCCESS) {
    return Internal(
        StrCat("starting cuBLASLt: ", lt->cublasLtGetStatusString(status)));
  }
  SL_ASSIGN_OR_RETURN(
      made->workspace,
      Array::Make(DType::kU8, {kCublasWorkspace}, device.memory().allocator()));
  return made;
}

}  // namespace

Result<const CublasLt*> CublasLt::Open() {
  static const auto& opened = *new Result<const CublasLt*>(OpenLt());
  return opened;
}

Result<const CublasLtHandle*> CublasLtHandle::For(CudaDevice& device) {
  static auto& made = *new PerDevice<const CublasLtHandle>;
  return made.For(device, &MakeHandle);
}

}  // namespace sluice
