// The GPUs of this machine: which there are, their memory, waiting for them.
//
//   if (sl::cuda::is_available()) model.to("cuda");
//   sl::cuda::Event begin, end;
//   begin.record();
//   ...
//   end.record();
//   end.synchronize();
//   double ms = begin.elapsed_time(end);
//
// A GPU is "cuda:0", "cuda" or "gpu:0" wherever a device is named. Calls are
// issued in order on one stream of the device and return before it is done;
// copies run on streams of their own. The driver is opened by the first
// question about GPUs. Functions throw sluice::Error; thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace sluice {

class Stream;    // device/device.h
class CudaMark;  // device/cuda_outside.h

namespace cuda {

// How many there are; 0 where there are none, no driver, or no CUDA in this
// build. Never throws.
int device_count();
bool is_available();
// Why device_count() is 0; empty when it is not.
std::string why_unavailable();

struct Properties {
  std::string name;  // "NVIDIA H200"
  int major = 0, minor = 0;
  int multi_processor_count = 0;
  int64_t total_memory = 0;
};
Properties get_device_properties(int device = 0);
std::string get_device_name(int device = 0);

// Waits until it has done all that it was given. Throws what a kernel found
// wrong meanwhile, with the line of its call.
void synchronize(int device = 0);

// Bytes of tensors. Memory is kept when they are gone, and used again.
struct MemoryStats {
  int64_t allocated = 0;      // now
  int64_t max_allocated = 0;  // the most since reset_peak_memory_stats()
  int64_t reserved = 0;       // taken from the driver, incl. what is free here
  int64_t allocations = 0;    // that were made
};
MemoryStats memory_stats(int device = 0);
void reset_peak_memory_stats(int device = 0);
// Free bytes and all, of the whole GPU.
std::pair<int64_t, int64_t> mem_get_info(int device = 0);

// Whether products of f32 may be computed with operands rounded to TF32. What a
// captured function has recorded before stays as it is.
bool tf32_allowed();
void allow_tf32(bool allow);

class Event;

// A queue of the device's work. Calls always go to the current one; others are
// for work of other libraries, and for order between theirs and ours. A value;
// the stream lives as long as the process.
class CudaStream {
 public:
  explicit CudaStream(int device = 0);  // a new one
  // Where calls of this library are issued.
  static CudaStream current(int device = 0);
  // One that another library has made, by CUDA's number for it.
  static CudaStream external(uintptr_t handle, int device = 0);

  int device() const;
  uintptr_t handle() const;
  bool query() const;  // whether all that was issued there is done
  void synchronize() const;
  void wait_event(const Event& event) const;
  void wait_stream(const CudaStream& other) const;
  Event record_event() const;

  bool operator==(const CudaStream&) const = default;

 private:
  friend class Event;
  explicit CudaStream(Stream* stream) : stream_(stream) {}
  Stream* stream_ = nullptr;
};

// A mark in a stream. Shared by its copies. One thread at a time records it.
class Event {
 public:
  explicit Event(bool enable_timing = true, int device = 0);

  void record() const;  // in the current stream
  void record(const CudaStream& stream) const;
  void wait() const;  // the current stream waits for it
  void wait(const CudaStream& stream) const;
  bool query() const;  // whether it has been reached
  void synchronize() const;
  // Milliseconds between the two.
  double elapsed_time(const Event& end) const;

 private:
  int device_ = 0;
  std::shared_ptr<CudaMark> mark_;
};

}  // namespace cuda
}  // namespace sluice
