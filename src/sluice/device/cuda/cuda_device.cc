#include "sluice/device/cuda/cuda_device.h"

#include "sluice/base/strings.h"

namespace sluice {

namespace {
constexpr const char* kStreamNames[] = {"compute", "to host", "from host",
                                        "peer"};
}  // namespace

Result<std::unique_ptr<CudaDevice>> CudaDevice::Make(int index) {
  std::unique_ptr<CudaDevice> device(
      new CudaDevice(DeviceName::Local(DeviceKind::kCuda, index)));
  SL_RETURN_IF_ERROR(device->Begin(index));
  return device;
}

Status CudaDevice::Begin(int index) {
  SL_CUDA(cuDeviceGet(&device_, index), StrCat("opening ", name_text()));
  char model[256] = {};
  SL_CUDA(cuDeviceGetName(model, sizeof model, device_),
          "asking for the GPU's name");
  model_ = model;
  int major = 0, minor = 0;
  SL_CUDA(cuDeviceGetAttribute(
              &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device_),
          "asking for the GPU's architecture");
  SL_CUDA(cuDeviceGetAttribute(
              &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device_),
          "asking for the GPU's architecture");
  architecture_ = major * 10 + minor;
  SL_CUDA(
      cuDeviceGetAttribute(&num_processors_,
                           CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device_),
      "asking for the GPU's size");
  SL_CUDA(cuDevicePrimaryCtxRetain(&context_, device_),
          StrCat("opening ", name_text()));
  Enter();
  for (size_t use = 0; use < kNumStreamUses; ++use) {
    streams_[use] = std::make_unique<CudaStream>(*this, kStreamNames[use]);
    SL_RETURN_IF_ERROR(streams_[use]->Begin());
  }
  recording_ = std::make_unique<CudaStream>(*this, "recording");
  SL_RETURN_IF_ERROR(recording_->Begin());
  body_ = std::make_unique<CudaStream>(*this, "loop body");
  SL_RETURN_IF_ERROR(body_->Begin());
  checks_ = std::make_unique<LateChecks>();
  SL_RETURN_IF_ERROR(checks_->Begin());
  memory_ = std::make_unique<CudaMemory>(device_, name_text());
  return memory_->Begin(stream());
}

}  // namespace sluice
