// What the parts of the emulated driver share: its functions by subject, and
// the state of the GPU as a whole.
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

inline constexpr int kMostShared = 232448;  // bytes, of a block that asks
inline constexpr int kMostThreads = 1024;   // of a block

// What a kernel did wrong: the GPU does nothing from then on.
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

// The driver's default streams are numbers.
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

// Work on a stream, unless the GPU is broken.
CUresult AddWork(CUstream stream, std::function<void()> work);

void FillMemory(CudaDriver& driver);
void FillStreams(CudaDriver& driver);
void FillKernels(CudaDriver& driver);
void FillGraphs(CudaDriver& driver);

}  // namespace sluice::emulated
