#include "sluice/device/cuda/emulated/driver_table.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "sluice/base/thread_owned.h"
#include "sluice/device/cuda/emulated/driver_parts.h"

namespace sluice::emulated {

namespace {

CUresult Init(unsigned) { return CUDA_SUCCESS; }
CUresult DriverGetVersion(int* version) {
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

struct Named {
  CUresult result;
  const char *name, *text;
};
constexpr Named kErrors[] = {
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE",
     "the emulated GPU was given what no GPU takes"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY",
     "the emulated GPU is out of memory"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND",
     "there is no kernel of this name"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE",
     "this is no kernel for the emulated GPU"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED",
     "the emulated GPU has no such function"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", nullptr},
};
const Named* Find(CUresult result) {
  for (const Named& error : kErrors) {
    if (error.result == result) return &error;
  }
  return nullptr;
}
CUresult GetErrorName(CUresult result, const char** name) {
  const Named* error = Find(result);
  *name = error ? error->name : nullptr;
  return error ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult GetErrorString(CUresult result, const char** text) {
  const Named* error = Find(result);
  *text = error ? error->text : nullptr;
  if (result == CUDA_ERROR_LAUNCH_FAILED) {
    struct Told {
      std::string text;
    };
    auto& told = ThreadOwned<Told>::Get();
    told.text = Failure::Get().text();
    *text = told.text.c_str();
  }
  return error ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult DeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult DeviceGet(CUdevice* device, int index) {
  *device = index;
  return index == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult DeviceGetName(char* name, int size, CUdevice) {
  std::string_view text = "Emulated GPU";
  auto n = std::min(text.size(), static_cast<size_t>(size) - 1);
  std::memcpy(name, text.data(), n);
  name[n] = 0;
  return CUDA_SUCCESS;
}
CUresult DeviceGetAttribute(int* value, CUdevice_attribute what, CUdevice) {
  switch (what) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = 9;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = 0;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 2;  // few, so that grids are small
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      *value = 32;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = kMostThreads;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = kMostShared;
      return CUDA_SUCCESS;
    // Of 1 GHz, both, and 64 bytes wide.
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      *value = 1'000'000;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      *value = 512;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}
CUresult PrimaryCtxRetain(CUcontext* context, CUdevice) {
  static char the_context;
  *context = reinterpret_cast<CUcontext>(&the_context);
  return CUDA_SUCCESS;
}
CUresult CtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }

// Of any function's type: one that is not emulated.
template <class Function>
struct NotEmulated;
template <class... Args>
struct NotEmulated<CUresult (*)(Args...)> {
  static CUresult Call(Args...) { return CUDA_ERROR_NOT_SUPPORTED; }
};

}  // namespace

Failure& Failure::Get() {
  static auto& failure = *new Failure;
  return failure;
}

void Failure::Set(std::string_view what) {
  MutexLock lock(mu_);
  if (text_.empty()) text_ = what;
}

std::string Failure::text() const {
  MutexLock lock(mu_);
  return text_;
}

std::string Failure::Take() {
  MutexLock lock(mu_);
  return std::exchange(text_, "");
}

CUresult Failure::Result() const {
  MutexLock lock(mu_);
  return text_.empty() ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_FAILED;
}

CUresult AddWork(CUstream stream, std::function<void()> work) {
  if (CUresult broken = Failure::Get().Result()) return broken;
  QueueOf(stream).Add([work = std::move(work)] {
    if (Failure::Get().Result() == CUDA_SUCCESS) work();
  });
  return CUDA_SUCCESS;
}

bool Wanted() {
  static const bool wanted = [] {
    const char* text = std::getenv("SLUICE_CUDA_EMULATION");
    return text && std::string_view(text) == "1";
  }();
  return wanted;
}

std::string TakeFailure() { return Failure::Get().Take(); }

void FillDriver(CudaDriver& driver) {
  driver.cuInit = Init;
  driver.cuDriverGetVersion = DriverGetVersion;
  driver.cuGetErrorName = GetErrorName;
  driver.cuGetErrorString = GetErrorString;
  driver.cuDeviceGetCount = DeviceGetCount;
  driver.cuDeviceGet = DeviceGet;
  driver.cuDeviceGetName = DeviceGetName;
  driver.cuDeviceGetAttribute = DeviceGetAttribute;
  driver.cuDevicePrimaryCtxRetain = PrimaryCtxRetain;
  driver.cuCtxSetCurrent = CtxSetCurrent;
  FillMemory(driver);
  FillStreams(driver);
  FillKernels(driver);
  FillGraphs(driver);
#define SL_FILL(name) \
  if (!driver.name) driver.name = NotEmulated<decltype(driver.name)>::Call;
  SL_CUDA_DRIVER_FUNCTIONS(SL_FILL)
#undef SL_FILL
}

}  // namespace sluice::emulated
