// CudaStream, CudaEvent: the queues of a GPU and the events in them.
//
// Events come from the pool of their device and return there. Thread safe.
#pragma once

#include <string>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/device/cuda/driver.h"
#include "sluice/device/device.h"

namespace sluice {

class CudaDevice;

// A pool of reusable events. Lives as long as the process.
class CudaEventStock {
 public:
  CUevent Take() SL_EXCLUDES(mu_);
  void Return(CUevent event) SL_EXCLUDES(mu_);

 private:
  Mutex mu_;
  std::vector<CUevent> unused_ SL_GUARDED_BY(mu_);
};

class CudaEvent final : public Event {
 public:
  CudaEvent(CudaDevice& device, CUevent event)
      : device_(device), event_(event) {}
  ~CudaEvent() override;
  bool Reached() override;
  CUevent handle() const { return event_; }

 private:
  CudaDevice& device_;
  const CUevent event_;
};

class CudaStream final : public Stream {
 public:
  CudaStream(CudaDevice& device, std::string name)
      : device_(device), name_(std::move(name)) {}
  Status Begin();
  // Wraps a stream created by another library.
  void BeginOver(CUstream stream) { stream_ = stream; }

  Device& device() override;
  const std::string& name() const override { return name_; }
  CUstream handle() const { return stream_; }

  EventRef Record() override;
  void WaitFor(const EventRef& event) override;
  void Copy(const Place& to, const Place& from, int64_t bytes) override;
  void Then(void (*callback)(void*), void* context) override;
  // Also returns late errors of launches on this device, and of copies that
  // could not be started.
  Status Synchronize() override SL_EXCLUDES(mu_);

 private:
  // Stores the first error of a call that could not return it.
  void Note(CUresult result, std::string_view doing) SL_EXCLUDES(mu_);

  CudaDevice& device_;
  const std::string name_;
  CUstream stream_ = nullptr;
  Mutex mu_;
  Status error_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice
