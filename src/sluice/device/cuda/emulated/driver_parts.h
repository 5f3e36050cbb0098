// Shared by the parts of the emulated driver: its functions by subject, and the
// global state of the GPU, which lives as long as the process.
//
// Thread safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sluice/base/thread_annotations.h"
#include "sluice/device/cuda/driver.h"
#include "sluice/device/cuda/emulated/queue.h"

namespace sluice::emulated {

// Bytes, for a block that requests them.
inline constexpr int kMostShared = 232448;
inline constexpr int kMostThreads = 1024;  // of a block

// The error of a kernel: after it the GPU executes nothing more.
class Failure {
 public:
  static Failure& Get();
  void Set(std::string_view what) SL_EXCLUDES(mu_);
  std::string text() const SL_EXCLUDES(mu_);
  std::string Take() SL_EXCLUDES(mu_);
  CUresult Result() const SL_EXCLUDES(mu_);

 private:
  mutable Mutex mu_;
  std::string text_ SL_GUARDED_BY(mu_);
};

// The default streams of the driver are small numbers.
inline Queue& QueueOf(CUstream stream) {
  static auto& legacy = *new Queue;
  static auto& per_thread = *new Queue;
  if (stream == nullptr || stream == CU_STREAM_LEGACY) return legacy;
  if (stream == CU_STREAM_PER_THREAD) return per_thread;
  return *reinterpret_cast<Queue*>(stream);
}
template <class T>
T* At(CUdeviceptr address) {
  return reinterpret_cast<T*>(address);
}

// Adds work to a stream, unless the GPU has failed.
CUresult AddWork(CUstream stream, std::function<void()> work);

void FillMemory(CudaDriver& driver);
void FillStreams(CudaDriver& driver);
void FillKernels(CudaDriver& driver);
void FillGraphs(CudaDriver& driver);

}  // namespace sluice::emulated
