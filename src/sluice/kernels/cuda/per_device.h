// PerDevice: one T for each GPU, created on first use and never destroyed. A
// failed creation is not repeated.
//
// Thread safe.
#pragma once

#include <map>

#include "sluice/base/status.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/device/cuda/cuda_device.h"

namespace sluice {

template <class T>
class PerDevice {
 public:
  using Make = Result<T*> (*)(CudaDevice&);

  Result<T*> For(CudaDevice& device, Make make) {
    MutexLock lock(mu_);
    auto it = made_.find(&device);
    if (it == made_.end()) it = made_.emplace(&device, make(device)).first;
    return it->second;
  }

 private:
  Mutex mu_;
  std::map<const CudaDevice*, Result<T*>> made_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice
