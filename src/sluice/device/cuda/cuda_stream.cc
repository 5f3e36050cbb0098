#include "sluice/device/cuda/cuda_stream.h"

#include <thread>

#include "sluice/base/strings.h"
#include "sluice/device/cuda/cuda_device.h"

namespace sluice {

CUevent CudaEventStock::Take() {
  {
    MutexLock lock(mu_);
    if (!unused_.empty()) {
      CUevent event = unused_.back();
      unused_.pop_back();
      return event;
    }
  }
  CUevent event = nullptr;
  CudaDriver::Get().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
  return event;
}

void CudaEventStock::Return(CUevent event) {
  MutexLock lock(mu_);
  unused_.push_back(event);
}

CudaEvent::~CudaEvent() {
  // Waiting for an event copies what is waited for, so it may be recorded
  // anew while somebody still waits for this use of it.
  if (event_) device_.events().Return(event_);
}

bool CudaEvent::Reached() {
  device_.Enter();
  return CudaDriver::Get().cuEventQuery(event_) != CUDA_ERROR_NOT_READY;
}

Device& CudaStream::device() { return device_; }

Status CudaStream::Begin() {
  SL_CUDA(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "making a stream");
  return OkStatus();
}

void CudaStream::Note(CUresult result, std::string_view doing) {
  if (result == CUDA_SUCCESS) [[likely]]
    return;
  MutexLock lock(mu_);
  if (error_.ok()) error_ = CudaStatus(result, doing);
}

EventRef CudaStream::Record() {
  device_.Enter();
  auto event = std::make_shared<CudaEvent>(device_, device_.events().Take());
  Note(CudaDriver::Get().cuEventRecord(event->handle(), stream_),
       "marking a stream");
  return event;
}

void CudaStream::WaitFor(const EventRef& event) {
  if (auto* mark = dynamic_cast<CudaEvent*>(event.get())) {
    device_.Enter();
    Note(CudaDriver::Get().cuStreamWaitEvent(stream_, mark->handle(),
                                             CU_EVENT_WAIT_DEFAULT),
         "waiting for another stream");
    return;
  }
  // Of a device that is no GPU: the host waits in the stream's place.
  while (!event->Reached()) std::this_thread::yield();
}

void CudaStream::Copy(const Place& to, const Place& from, int64_t bytes) {
  device_.Enter();
  const CudaDriver& driver = CudaDriver::Get();
  auto count = static_cast<size_t>(bytes);
  auto there = reinterpret_cast<CUdeviceptr>(to.address);
  auto here = reinterpret_cast<CUdeviceptr>(from.address);
  auto remote = [](const Place& p) { return p.memory && !p.memory->on_host(); };
  CUresult result;
  if (!remote(from)) {
    result = driver.cuMemcpyHtoDAsync(there, from.address, count, stream_);
  } else if (!remote(to)) {
    result = driver.cuMemcpyDtoHAsync(to.address, here, count, stream_);
  } else {
    result = driver.cuMemcpyAsync(there, here, count, stream_);
  }
  Note(result, StrCat("copying ", bytes, " bytes"));
}

void CudaStream::Then(void (*callback)(void*), void* context) {
  device_.Enter();
  const CudaDriver& driver = CudaDriver::Get();
  if (driver.cuStreamQuery(stream_) != CUDA_ERROR_NOT_READY) {
    device_.TellErrors();
    return callback(context);
  }
  CUresult result = driver.cuLaunchHostFunc(stream_, callback, context);
  if (result == CUDA_SUCCESS) return;
  Note(result, "asking to be called back");
  callback(context);
}

Status CudaStream::Synchronize() {
  device_.Enter();
  SL_CUDA(cuStreamSynchronize(stream_),
          StrCat("waiting for ", device_.name_text()));
  device_.TellErrors();
  MutexLock lock(mu_);
  return std::exchange(error_, OkStatus());
}

}  // namespace sluice
