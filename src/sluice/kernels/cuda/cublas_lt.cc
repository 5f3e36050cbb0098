#include "sluice/kernels/cuda/cublas_lt.h"

#include <map>

#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/kernels/cuda/open_library.h"
#include "sluice/tensor/array.h"

namespace sluice {

namespace {

Result<const CublasLt*> OpenLt() {
  constexpr const char* kNames[] = {"libcublasLt.so.13", "libcublasLt.so.12",
                                    "libcublasLt.so"};
  SL_ASSIGN_OR_RETURN(void* library, OpenCudaLibrary(kNames));
  auto* lt = new CublasLt;
#define SL_LOAD(name)                                                   \
  {                                                                     \
    SL_ASSIGN_OR_RETURN(void* at, CudaLibraryFunction(library, #name)); \
    lt->name = reinterpret_cast<decltype(lt->name)>(at);                \
  }
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
  struct Made {
    Mutex mu;
    std::map<const CudaDevice*, Result<const CublasLtHandle*>> handles
        SL_GUARDED_BY(mu);
  };
  static auto& made = *new Made;
  MutexLock lock(made.mu);
  auto it = made.handles.find(&device);
  if (it == made.handles.end()) {
    it = made.handles.emplace(&device, MakeHandle(device)).first;
  }
  return it->second;
}

}  // namespace sluice
