// Memory of the emulated GPU: addresses are reserved at once and nobody may
// touch them; memory is put behind them piece by piece, filled with kUnwritten,
// so that what is read before it is written shows.
//
// Thread safe. One for the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "sluice/base/thread_annotations.h"

namespace sluice::emulated {

class GpuMemory {
 public:
  static constexpr size_t kBytes = size_t{1} << 30;
  static GpuMemory& Get();

  // Null, 0 or false: there is none left.
  void* Reserve(size_t bytes, size_t alignment);
  bool Create(size_t bytes) SL_EXCLUDES(mu_);
  bool Open(void* at, size_t bytes);
  size_t used() const SL_EXCLUDES(mu_);

  // Memory of the host that copies need not read before they return.
  void* AllocatePinned(size_t bytes) SL_EXCLUDES(mu_);
  bool Pinned(const void* address) const SL_EXCLUDES(mu_);

 private:
  mutable Mutex mu_;
  size_t used_ SL_GUARDED_BY(mu_) = 0;
  std::map<const char*, size_t> pinned_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice::emulated
