#include "sluice/device/devices.h"

#include <atomic>
#include <cstdlib>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/device/cpu/cpu_device.h"
#include "sluice/device/cuda_devices.h"
#include "sluice/device/sim/sim_device.h"
#include "sluice/tensor/array.h"

namespace sluice {

namespace {

std::atomic<Device*> default_device{nullptr};
std::atomic<size_t> device_count{1};

// The first devices, to be looked at without a lock.
constexpr size_t kQuickDevices = 64;
std::atomic<Device*> quick_devices[kQuickDevices];

struct Registry {
  Mutex mu;
  // Never destroyed: arrays may be freed by static destructors.
  std::vector<std::unique_ptr<Device>> devices SL_GUARDED_BY(mu);

  // After each that is added.
  void Publish() SL_REQUIRES(mu) {
    size_t last = devices.size() - 1;
    if (last < kQuickDevices) {
      quick_devices[last].store(devices[last].get(), std::memory_order_release);
    }
    device_count.store(devices.size(), std::memory_order_release);
  }

  static Registry& Get() {
    static auto* registry = [] {
      auto* made = new Registry;
      MutexLock lock(made->mu);
      made->devices.push_back(MakeCpuDevice(0));
      made->Publish();
      return made;
    }();
    return *registry;
  }
};

// In this process there is one task, so the parts that name it are not looked
// at.
bool Meets(const DeviceName& wanted, const DeviceName& device) {
  return (!wanted.kind || wanted.kind == device.kind) &&
         (!wanted.index || wanted.index == device.index);
}

}  // namespace

Device& CpuDevice() {
  static Device& cpu = *Devices::All().front();
  return cpu;
}

std::vector<Device*> Devices::All() {
  Registry& registry = Registry::Get();
  MutexLock lock(registry.mu);
  std::vector<Device*> all;
  for (const auto& device : registry.devices) all.push_back(device.get());
  return all;
}

size_t Devices::Count() { return device_count.load(std::memory_order_acquire); }

Device* Devices::Find(const DeviceName& name) {
  for (Device* device : All()) {
    if (Meets(name, device->name())) return device;
  }
  return nullptr;
}

Result<Device*> Devices::Find(std::string_view text) {
  SL_ASSIGN_OR_RETURN(DeviceName name, DeviceName::Parse(text));
  std::string why;
  if (name.kind == DeviceKind::kCuda) {
    Status added = AddCudaDevices().status();
    if (!added.ok()) why = StrCat(" (", added.message(), ")");
  }
  if (Device* device = Find(name)) return device;
  std::string there;
  for (Device* device : All()) {
    StrAppend(there, there.empty() ? "" : ", ", device->name_text());
  }
  return NotFound(StrCat("there is no device \"", EscapeString(text),
                         "\" in this process; there are ", there, why));
}

Device& Devices::Of(const Memory* memory) {
  if (!memory) return CpuDevice();
  for (const auto& quick : quick_devices) {
    Device* device = quick.load(std::memory_order_acquire);
    if (!device) break;
    if (&device->memory() == memory) return *device;
  }
  for (Device* device : All()) {
    if (&device->memory() == memory) return *device;
  }
  return CpuDevice();
}

Device& Devices::Of(const Array& array) { return Of(array.memory()); }

namespace {

// What SLUICE_DEVICE names: simulated devices and CPUs are made for it.
Result<Device*> DeviceOfEnvironment() {
  const char* text = std::getenv("SLUICE_DEVICE");
  if (!text || !*text) return &CpuDevice();
  SL_ASSIGN_OR_RETURN(DeviceName name, DeviceName::Parse(text));
  int count = name.index.value_or(0) + 1;
  if (name.kind == DeviceKind::kSim) {
    SL_RETURN_IF_ERROR(AddSimDevices(count).status());
  } else if (name.kind == DeviceKind::kCpu) {
    SL_RETURN_IF_ERROR(Devices::AddCpus(count));
  }
  return Devices::Find(text);
}

}  // namespace

Device& Devices::Default() {
  Device* device = default_device.load(std::memory_order_acquire);
  if (device) return *device;
  static Device* const first = ValueOrThrow(DeviceOfEnvironment());
  return *first;
}

void Devices::SetDefault(Device& device) {
  default_device.store(&device, std::memory_order_release);
}

Device& Devices::Add(std::unique_ptr<Device> device) {
  Registry& registry = Registry::Get();
  MutexLock lock(registry.mu);
  for (const auto& there : registry.devices) {
    SL_CHECK(!(there->name() == device->name()));
  }
  registry.devices.push_back(std::move(device));
  registry.Publish();
  return *registry.devices.back();
}

Status Devices::AddCpus(int n) {
  if (n < 1 || n > kMaxCpuDevices) {
    return InvalidArgument(
        StrCat("got ", n, " CPU devices; wanted 1 to ", kMaxCpuDevices));
  }
  Registry& registry = Registry::Get();
  MutexLock lock(registry.mu);
  int there = 0;
  for (const auto& device : registry.devices) {
    there += device->kind() == DeviceKind::kCpu;
  }
  for (; there < n; ++there) {
    registry.devices.push_back(MakeCpuDevice(there));
    registry.Publish();
  }
  return OkStatus();
}

}  // namespace sluice
