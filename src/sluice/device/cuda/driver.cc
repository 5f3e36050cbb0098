#include "sluice/device/cuda/driver.h"

#include <dlfcn.h>

#include "sluice/base/strings.h"
#include "sluice/device/cuda/emulated/driver_table.h"

namespace sluice {

namespace {

constexpr int kOldestVersion = 12000;

CudaDriver& TheDriver() {
  static auto& driver = *new CudaDriver;
  return driver;
}

Status OpenDriver(CudaDriver& driver) {
  if (emulated::Wanted()) {
    emulated::FillDriver(driver);
    return OkStatus();
  }
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return Status(
        Code::kUnavailable,
        StrCat("there is no CUDA driver on this machine (libcuda.so.1: ",
               dlerror(), "); wanted one for a device of kind gpu"));
  }
#define SL_TEXT_OF(name) #name
#define SL_TEXT(name) SL_TEXT_OF(name)
#define SL_LOAD(name)                                                         \
  driver.name =                                                               \
      reinterpret_cast<decltype(driver.name)>(dlsym(library, SL_TEXT(name))); \
  if (!driver.name) {                                                         \
    return Status(Code::kUnavailable,                                         \
                  "the CUDA driver is too old: it has no " SL_TEXT(name));    \
  }
  SL_CUDA_DRIVER_FUNCTIONS(SL_LOAD)
#undef SL_LOAD
  int version = 0;
  driver.cuDriverGetVersion(&version);
  if (version < kOldestVersion) {
    return Status(Code::kUnavailable,
                  StrCat("the CUDA driver is of version ", version / 1000, ".",
                         version % 1000 / 10, "; wanted ",
                         kOldestVersion / 1000, ".0 or newer"));
  }
  return CudaStatus(driver.cuInit(0), "starting the CUDA driver");
}

}  // namespace

Result<const CudaDriver*> CudaDriver::Open() {
  static const auto& status = *new Status(OpenDriver(TheDriver()));
  SL_RETURN_IF_ERROR(status);
  return &TheDriver();
}

const CudaDriver& CudaDriver::Get() { return TheDriver(); }

Status CudaStatus(CUresult result, std::string_view doing) {
  if (result == CUDA_SUCCESS) return OkStatus();
  const char *name = nullptr, *text = nullptr;
  const CudaDriver& driver = TheDriver();
  if (driver.cuGetErrorName) driver.cuGetErrorName(result, &name);
  if (driver.cuGetErrorString) driver.cuGetErrorString(result, &text);
  std::string message = StrCat(doing, ": ", text ? text : "unknown CUDA error",
                               " (", name ? name : "?", ")");
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return ResourceExhausted(message);
  if (result == CUDA_ERROR_NO_DEVICE)
    return Status(Code::kUnavailable, message);
  return Internal(message);
}

}  // namespace sluice
