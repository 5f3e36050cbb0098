#include "sluice/device/cuda_devices.h"

#include "sluice/device/devices.h"
#if defined(SLUICE_CUDA)
#include "sluice/device/cuda/cuda_device.h"
#include "sluice/device/cuda/emulated/driver_table.h"
#endif

namespace sluice {

namespace {

#if defined(SLUICE_CUDA)
Result<int> AddAll() {
  SL_ASSIGN_OR_RETURN(const CudaDriver* driver, CudaDriver::Open());
  int count = 0;
  SL_RETURN_IF_ERROR(
      CudaStatus(driver->cuDeviceGetCount(&count), "counting GPUs"));
  if (count == 0) return Status(Code::kUnavailable, "this machine has no GPU");
  for (int i = 0; i < count; ++i) {
    SL_ASSIGN_OR_RETURN(auto device, CudaDevice::Make(i));
    Devices::Add(std::move(device));
  }
  return count;
}
#else
Result<int> AddAll() {
  return Status(Code::kUnavailable,
                "this Sluice was built without CUDA: there are no devices of "
                "kind gpu (docs/install.md says how to build it with them)");
}
#endif

}  // namespace

#if defined(SLUICE_CUDA)
std::string TakeEmulatedFailure() { return emulated::TakeFailure(); }
#else
std::string TakeEmulatedFailure() { return ""; }
#endif

Result<int> AddCudaDevices() {
  static const auto& added = *new Result<int>(AddAll());
  return added;
}

}  // namespace sluice
