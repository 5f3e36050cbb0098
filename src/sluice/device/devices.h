// The devices of this process, by name. "/device:cpu:0" always exists; others
// are added by their creators and live as long as the process.
//
// Thread safe.
#pragma once

#include <string_view>
#include <vector>

#include "sluice/device/device.h"

namespace sluice {

// The host: device 0.
Device& CpuDevice();

class Devices {
 public:
  // All current devices, in the order they were added.
  static std::vector<Device*> All();
  // Their number; quick.
  static size_t Count();
  // The first device that the name covers; ignores parts that name another
  // process. Errors: invalid text; no such device, with a list of devices.
  static Result<Device*> Find(std::string_view name);
  static Device* Find(const DeviceName& name);
  // The device that owns this memory.
  static Device& Of(const Memory* memory);
  static Device& Of(const Array& array);

  // The device for work that names none: the host, unless SLUICE_DEVICE or
  // SetDefault says otherwise. Throws sluice::Error if the variable does not
  // name a device.
  static Device& Default();
  static void SetDefault(Device& device);

  // Takes ownership. REQUIRES: no device has this name.
  static Device& Add(std::unique_ptr<Device> device);
  // Makes sure that cpu:0 ... cpu:n-1 exist, which all use the host's cores and
  // count their own memory. At most kMaxCpuDevices.
  static Status AddCpus(int n);
};

inline constexpr int kMaxCpuDevices = 1024;

}  // namespace sluice
