#include "sluice/device/cuda/emulated/memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "sluice/device/cuda/emulated/kernel_side.h"

namespace sluice::emulated {

GpuMemory& GpuMemory::Get() {
  static auto& memory = *new GpuMemory;
  return memory;
}

void* GpuMemory::Reserve(size_t bytes, size_t alignment) {
  size_t more = alignment > 0 ? alignment : 1;
  void* at = mmap(nullptr, bytes + more, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  auto begin = (reinterpret_cast<uintptr_t>(at) + more - 1) / more * more;
  return reinterpret_cast<void*>(begin);
}

bool GpuMemory::Create(size_t bytes) {
  MutexLock lock(mu_);
  if (bytes > kBytes - used_) return false;
  used_ += bytes;
  return true;
}

bool GpuMemory::Open(void* at, size_t bytes) {
  if (mprotect(at, bytes, PROT_READ | PROT_WRITE) != 0) return false;
  std::memset(at, kUnwritten, bytes);
  return true;
}

size_t GpuMemory::used() const {
  MutexLock lock(mu_);
  return used_;
}

void* GpuMemory::AllocatePinned(size_t bytes) {
  void* at = nullptr;
  if (posix_memalign(&at, 4096, bytes) != 0) return nullptr;
  MutexLock lock(mu_);
  pinned_[static_cast<const char*>(at)] = bytes;
  return at;
}

bool GpuMemory::Pinned(const void* address) const {
  MutexLock lock(mu_);
  const char* at = static_cast<const char*>(address);
  auto it = pinned_.upper_bound(at);
  if (it == pinned_.begin()) return false;
  --it;
  return at < it->first + it->second;
}

}  // namespace sluice::emulated
