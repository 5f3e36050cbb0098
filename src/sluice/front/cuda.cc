#include "sluice/front/cuda.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/device/cuda_devices.h"
#include "sluice/device/cuda_outside.h"
#include "sluice/device/devices.h"
#include "sluice/device/tf32.h"
#include "sluice/eager/call_device.h"

namespace sluice::cuda {

namespace {

void Throw(const Status& status) {
  if (!status.ok()) throw Error(status);
}
template <class T>
T Value(Result<T> result) {
  Throw(result.status());
  return *std::move(result);
}

Device& Gpu(int index) {
  int count = Value(AddCudaDevices());
  if (index < 0 || index >= count) {
    throw Error(InvalidArgument(
        StrCat("the GPU's number is ", index, "; wanted 0 to ", count - 1)));
  }
  return *Devices::Find(DeviceName::Local(DeviceKind::kCuda, index));
}

}  // namespace

int device_count() {
  Result<int> count = AddCudaDevices();
  return count.ok() ? *count : 0;
}
bool is_available() { return device_count() > 0; }
std::string why_unavailable() {
  Result<int> count = AddCudaDevices();
  return count.ok() ? "" : std::string(count.status().message());
}

Properties get_device_properties(int device) {
  CudaFigures figures = Value(FiguresOf(Gpu(device)));
  return {figures.model, figures.architecture / 10, figures.architecture % 10,
          figures.processors, figures.total_bytes};
}
std::string get_device_name(int device) {
  return get_device_properties(device).name;
}

void synchronize(int device) { Throw(WaitForDevice(Gpu(device))); }

MemoryStats memory_stats(int device) {
  AllocatorStats stats = Gpu(device).memory().allocator().stats();
  return {stats.bytes_in_use, stats.peak_bytes,
          stats.bytes_in_use + stats.bytes_cached, stats.allocations};
}
void reset_peak_memory_stats(int device) {
  Gpu(device).memory().allocator().ResetPeak();
}
std::pair<int64_t, int64_t> mem_get_info(int device) {
  CudaFigures figures = Value(FiguresOf(Gpu(device)));
  return {figures.free_bytes, figures.total_bytes};
}

bool tf32_allowed() { return Tf32Allowed(); }
void allow_tf32(bool allow) { AllowTf32(allow); }

CudaStream::CudaStream(int device)
    : stream_(Value(NewCudaStream(Gpu(device)))) {}
CudaStream CudaStream::current(int device) {
  return CudaStream(&Gpu(device).stream());
}
CudaStream CudaStream::external(uintptr_t handle, int device) {
  return CudaStream(Value(OutsideCudaStream(Gpu(device), handle)));
}

int CudaStream::device() const { return *stream_->device().name().index; }
uintptr_t CudaStream::handle() const { return CudaHandleOf(*stream_); }
bool CudaStream::query() const { return CudaStreamIdle(*stream_); }
void CudaStream::synchronize() const {
  Device& device = stream_->device();
  if (stream_ == &device.stream()) return Throw(WaitForDevice(device));
  Throw(stream_->Synchronize());
}
void CudaStream::wait_event(const Event& event) const { event.wait(*this); }
void CudaStream::wait_stream(const CudaStream& other) const {
  stream_->WaitFor(other.stream_->Record());
}
Event CudaStream::record_event() const {
  Event event(/*enable_timing=*/true, device());
  event.record(*this);
  return event;
}

Event::Event(bool enable_timing, int device)
    : device_(device),
      mark_(Value(CudaMark::Make(Gpu(device), enable_timing))) {}
void Event::record() const { record(CudaStream::current(device_)); }
void Event::record(const CudaStream& stream) const {
  Throw(mark_->Record(*stream.stream_));
}
void Event::wait() const { wait(CudaStream::current(device_)); }
void Event::wait(const CudaStream& stream) const {
  Throw(mark_->MakeWait(*stream.stream_));
}
bool Event::query() const { return mark_->Reached(); }
void Event::synchronize() const { Throw(mark_->Synchronize()); }
double Event::elapsed_time(const Event& end) const {
  return Value(mark_->ElapsedMs(*end.mark_));
}

}  // namespace sluice::cuda
