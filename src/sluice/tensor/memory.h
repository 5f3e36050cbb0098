// Memory: where elements are stored. Every array knows its memory; each device
// has one. The host's main memory, where nearly all elements are, is
// represented by null, so that the check costs a comparison.
//
// The host cannot read forbidden memory by mistake: Array::data refuses. It
// does access such memory while it simulates the device: a simulated device's
// kernels are host code and open its memory while they run.
//
// Memories live as long as the process. Thread safe.
#pragma once

#include <string>

#include "sluice/tensor/allocator.h"

namespace sluice {

// Kernels are registered per kind.
enum class DeviceKind : uint8_t { kCpu = 0, kCuda, kSim };
inline constexpr int kNumDeviceKinds = 3;
std::string_view DeviceKindName(DeviceKind kind);

class Memory {
 public:
  virtual ~Memory() = default;
  virtual DeviceKind kind() const = 0;
  // The name of its device: "/device:sim:0".
  virtual const std::string& device_name() const = 0;
  // Whether the host may read and write it.
  virtual bool on_host() const = 0;
  virtual Allocator& allocator() = 0;

 private:
  friend class OpenMemory;
  friend struct HostView;
  // The host address of what the device sees at `address`. Only called while
  // the memory is open.
  virtual void* HostAddress(void* address) const { return address; }
};

// The allocator of a memory in the form that arrays store.
inline Allocator& AllocatorOf(Memory* memory) {
  return memory ? memory->allocator() : HostAllocator();
}
// "/device:cpu:0" for null.
const std::string& DeviceNameOf(const Memory* memory);

// For its lifetime, this thread works for a device: it may access the device's
// memory. On the stack.
class [[nodiscard]] OpenMemory {
 public:
  explicit OpenMemory(const Memory& memory);
  ~OpenMemory();
  OpenMemory(const OpenMemory&) = delete;
  OpenMemory& operator=(const OpenMemory&) = delete;
  static const Memory* Current();

 private:
  const Memory* outer_;
};

// The access of Array::data to memory that is not the host's.
struct HostView {
  // Throws sluice::Error if this thread may not access it.
  static void* Of(const Memory& memory, void* address,
                  const std::string& type_text);
};

}  // namespace sluice
