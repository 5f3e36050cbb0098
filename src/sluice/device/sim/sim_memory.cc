#include "sluice/device/sim/sim_memory.h"

#include <sys/mman.h>

#include <cstring>

#include "sluice/base/strings.h"
#include "sluice/device/sim/sim_stream.h"
#include "sluice/device/sim/sim_world.h"

namespace sluice {

namespace {
// A program that stays below the cap finds a place although free memory is in
// pieces: a device has more addresses than memory.
constexpr int64_t kAddressesPerByte = 2;
constexpr int64_t kSpareAddresses = int64_t{16} << 20;

char* Map(int64_t bytes, int protection) {
  // Pages come when they are touched, so that only what is used costs memory.
  void* mapped = mmap(nullptr, static_cast<size_t>(bytes), protection,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<char*>(mapped);
}
}  // namespace

Result<std::unique_ptr<SimMemory>> SimMemory::Make(
    SimWorld& world, const std::string& device_name,
    const SimOptions& options) {
  std::unique_ptr<SimMemory> memory(new SimMemory(world, device_name, options));
  int64_t pages = (options.memory_bytes + 4095) / 4096;
  memory->size_ = pages * 4096 * kAddressesPerByte + kSpareAddresses;
  memory->addresses_ = Map(memory->size_, PROT_NONE);
  memory->bytes_ = Map(memory->size_, PROT_READ | PROT_WRITE);
  if (!memory->addresses_ || !memory->bytes_) {
    return ResourceExhausted(StrCat(device_name, ": no room for ",
                                    HumanBytes(options.memory_bytes),
                                    " of simulated memory"));
  }
  return memory;
}

SimMemory::~SimMemory() {
  auto size = static_cast<size_t>(size_);
  if (addresses_) munmap(addresses_, size);
  if (bytes_) munmap(bytes_, size);
}

void SimMemory::Begin(Stream& compute) {
  AllocationWatcher* watcher = this;
  allocator_ = std::make_unique<DeviceAllocator>(
      *this, compute, DeviceAllocator::Range{addresses_, size_},
      options_.memory_bytes, watcher);
}

void* SimMemory::Bytes(void* address) const {
  return bytes_ + (static_cast<char*>(address) - addresses_);
}

void SimMemory::SetFaults(const SimFaults& faults) {
  MutexLock lock(mu_);
  faults_ = faults;
}
SimFaults SimMemory::faults() const {
  MutexLock lock(mu_);
  return faults_;
}

bool SimMemory::CopyFails() {
  MutexLock lock(mu_);
  return faults_.fail_copy > 0 && --faults_.fail_copy == 0;
}

bool SimMemory::Refuse(int64_t) {
  MutexLock lock(mu_);
  return faults_.fail_allocation > 0 && --faults_.fail_allocation == 0;
}

bool SimMemory::Allocated(Stream& home, void* address, int64_t bytes) {
  world_.Allocated({this, address, bytes});
  auto* stream = options_.poison ? dynamic_cast<SimStream*>(&home) : nullptr;
  if (!stream) return false;
  // The stream comes after all former users by now, and before the new ones.
  void* begin = Bytes(address);
  stream->RunFree("poison", {this, address, bytes}, [begin, bytes] {
    std::memset(begin, 0xFF, static_cast<size_t>(bytes));
  });
  return true;
}

void SimMemory::Freed(void* address, int64_t bytes) {
  world_.Freed({this, address, bytes});
}

}  // namespace sluice
