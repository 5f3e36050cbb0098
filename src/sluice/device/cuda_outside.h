// The parts of a GPU visible to programs and other libraries: its properties,
// its streams as CUDA handles, timing events, and arrays over memory that
// another library of the process allocated.
//
// In builds without CUDA all functions return an error. Thread safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sluice/base/status.h"
#include "sluice/device/device.h"
#include "sluice/tensor/array.h"

namespace sluice {

struct CudaFigures {
  std::string model;     // "NVIDIA H200"
  int architecture = 0;  // 90 for compute capability 9.0
  int processors = 0;
  int64_t free_bytes = 0, total_bytes = 0;  // as reported by the driver
  // Of f32 arithmetic without tensor cores, and of its own memory, by its
  // clocks; 0 where the driver does not tell them.
  double flops_per_second = 0, bytes_per_second = 0;
};
// Errors: not a GPU; those of the driver.
Result<CudaFigures> FiguresOf(Device& device);

// An additional stream of the device. Streams live as long as the process.
Result<Stream*> NewCudaStream(Device& device);
// A stream of another library. 1 and 2 are the driver's default streams.
Result<Stream*> OutsideCudaStream(Device& device, uintptr_t handle);
// 0: not a stream of a GPU.
uintptr_t CudaHandleOf(Stream& stream);
// Whether all work issued there is done; never blocks.
bool CudaStreamIdle(Stream& stream);

// A reusable event, which records the time when it is reached if `timing` is
// set.
class CudaMark {
 public:
  static Result<std::unique_ptr<CudaMark>> Make(Device& device, bool timing);
  virtual ~CudaMark() = default;
  virtual Status Record(Stream& stream) = 0;
  virtual Status MakeWait(Stream& stream) = 0;
  virtual bool Reached() = 0;
  virtual Status Synchronize() = 0;
  // Milliseconds from this one to `end`. Errors: one of them is not set, not
  // reached, or has no time.
  virtual Result<double> ElapsedMs(CudaMark& end) = 0;
};

// An array over foreign memory on the device; strides in elements. Work issued
// on `maker` so far comes before all use of the array here; null: the maker has
// ensured that. `release` is called when the last array is gone and the
// device's work on it is done.
struct OutsideBytes {
  void* address = nullptr;
  DType dtype = DType::kInvalid;
  Shape shape;
  Strides strides;
};
Result<Array> CudaArrayOver(Device& device, const OutsideBytes& bytes,
                            Stream* maker, std::function<void()> release);

}  // namespace sluice
