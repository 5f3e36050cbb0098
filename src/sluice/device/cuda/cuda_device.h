// CudaDevice: a GPU behind the Device interface.
//
// Lives as long as the process. Thread safe.
#pragma once

#include <array>
#include <functional>
#include <memory>

#include "sluice/device/cuda/cuda_memory.h"
#include "sluice/device/cuda/cuda_stream.h"
#include "sluice/device/cuda/late_checks.h"
#include "sluice/device/device.h"

namespace sluice {

class CudaDevice final : public Device {
 public:
  // Errors: those of the driver.
  static Result<std::unique_ptr<CudaDevice>> Make(int index);

  Memory& memory() override { return *memory_; }
  CudaStream& stream(StreamUse use = StreamUse::kCompute) override {
    return *streams_[static_cast<size_t>(use)];
  }
  Allocator& allocator_for(StreamUse use) override {
    return memory_->device_allocator().For(stream(use));
  }
  bool synchronous() const override { return false; }

  // Makes it the current device of this thread's driver calls. Quick if it
  // already is.
  void Enter() const {
    thread_local CUcontext current = nullptr;
    if (current == context_) [[likely]]
      return;
    CudaDriver::Get().cuCtxSetCurrent(context_);
    current = context_;
  }
  // Runs nothing: launches issued there are recorded.
  CudaStream& recording_stream() { return *recording_; }
  // For the bodies of recorded loops.
  CudaStream& body_stream() { return *body_; }
  CUcontext context() const { return context_; }
  CudaEventStock& events() { return events_; }
  LateChecks& checks() { return *checks_; }
  void TellErrors() { checks_->Tell(); }

  // "NVIDIA H200"; 90 for compute capability 9.0.
  const std::string& model() const { return model_; }
  int architecture() const { return architecture_; }
  int num_processors() const { return num_processors_; }

 private:
  explicit CudaDevice(DeviceName name) : Device(std::move(name)) {}
  Status Begin(int index);

  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  std::string model_;
  int architecture_ = 0;
  int num_processors_ = 0;
  CudaEventStock events_;
  std::unique_ptr<LateChecks> checks_;
  std::unique_ptr<CudaMemory> memory_;
  std::array<std::unique_ptr<CudaStream>, kNumStreamUses> streams_;
  std::unique_ptr<CudaStream> recording_, body_;
};

}  // namespace sluice
