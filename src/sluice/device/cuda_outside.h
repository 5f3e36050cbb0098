// What programs and other libraries see of a GPU: its figures, its streams by
// the numbers CUDA knows them by, marks that tell the time, and arrays over
// memory that another library of the process made there.
//
// In a build without CUDA all of it fails and says so. Thread safe.
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
  int64_t free_bytes = 0, total_bytes = 0;  // as the driver says
};
// Errors: it is no GPU; the driver's.
Result<CudaFigures> FiguresOf(Device& device);

// A stream of its own beside the device's. Streams live as long as the process.
Result<Stream*> NewCudaStream(Device& device);
// The stream of another library. 1 and 2 are the driver's default streams.
Result<Stream*> OutsideCudaStream(Device& device, uintptr_t handle);
// 0: it is no stream of a GPU.
uintptr_t CudaHandleOf(Stream& stream);
// Whether all that was issued there is done; never blocks.
bool CudaStreamIdle(Stream& stream);

// A mark that can be set again and again, and knows when it was reached where
// `timing` says so.
class CudaMark {
 public:
  static Result<std::unique_ptr<CudaMark>> Make(Device& device, bool timing);
  virtual ~CudaMark() = default;
  virtual Status Record(Stream& stream) = 0;
  virtual Status MakeWait(Stream& stream) = 0;
  virtual bool Reached() = 0;
  virtual Status Synchronize() = 0;
  // Milliseconds from this one to `end`. Errors: one of them was not set, is
  // not reached, or has no time.
  virtual Result<double> ElapsedMs(CudaMark& end) = 0;
};

// An array over memory of others on the device; strides in elements. What was
// issued on `maker` so far comes before all that is done with it here; null:
// the maker has seen to that. `release` is called when the last array is gone
// and the device's work on it is done.
struct OutsideBytes {
  void* address = nullptr;
  DType dtype = DType::kInvalid;
  Shape shape;
  Strides strides;
};
Result<Array> CudaArrayOver(Device& device, const OutsideBytes& bytes,
                            Stream* maker, std::function<void()> release);

}  // namespace sluice
