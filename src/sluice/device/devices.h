// The devices of this process, by name. "/device:cpu:0" is always there; others
// are added by whoever makes them and stay as long as the process.
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
  // Every device there is now, in the order they were added.
  static std::vector<Device*> All();
  // How many; quick.
  static size_t Count();
  // The first that the name covers, parts of another process left aside.
  // Errors: text that is no name; no such device, with those there are.
  static Result<Device*> Find(std::string_view name);
  static Device* Find(const DeviceName& name);
  // The device whose memory it is.
  static Device& Of(const Memory* memory);
  static Device& Of(const Array& array);

  // Where what names no device goes: the host, unless SLUICE_DEVICE or
  // SetDefault say otherwise. Throws sluice::Error for a variable that names no
  // device.
  static Device& Default();
  static void SetDefault(Device& device);

  // Takes it over. REQUIRES: no device has its name.
  static Device& Add(std::unique_ptr<Device> device);
  // Makes sure there are cpu:0 ... cpu:n-1, which all use the host's cores and
  // have memory of their own to account for. At most kMaxCpuDevices.
  static Status AddCpus(int n);
};

inline constexpr int kMaxCpuDevices = 1024;

}  // namespace sluice
