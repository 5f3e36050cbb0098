// Memory of the emulated GPU. Addresses are reserved at once and inaccessible.
// Memory is mapped piece by piece and filled with kUnwritten, which exposes
// reads of unwritten memory.
//
// Thread safe. One per process.
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

  // Null, 0 or false: none is left.
  void* Reserve(size_t bytes, size_t alignment);
  bool Create(size_t bytes) SL_EXCLUDES(mu_);
  bool Open(void* at, size_t bytes);
  size_t used() const SL_EXCLUDES(mu_);

  // Host memory that copies may read after they return.
  void* AllocatePinned(size_t bytes) SL_EXCLUDES(mu_);
  bool Pinned(const void* address) const SL_EXCLUDES(mu_);

 private:
  mutable Mutex mu_;
  size_t used_ SL_GUARDED_BY(mu_) = 0;
  std::map<const char*, size_t> pinned_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice::emulated
