// The devices of this process, for the module sluice.devices and for tensors.
#include "sluice/device/devices.h"

#include "caller_line.h"
#include "device_names.h"
#include "errors.h"
#include "graph.h"
#include "sluice/base/error.h"
#include "sluice/device/sim/sim_device.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/tensor.h"
#include "tensor.h"

namespace sluice::py {

namespace {

using namespace nb::literals;

Device& Find(const std::string& name) {
  Result<Device*> device = Devices::Find(name);
  if (!device.ok()) ThrowValueError(device.status().message());
  return **device;
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (Device* device : Devices::All()) {
    names.push_back(ShortName(device->name_text()));
  }
  return names;
}

nb::dict MemoryStats(const std::string& name) {
  AllocatorStats stats = Find(name).memory().allocator().stats();
  nb::dict result;
  result["bytes_in_use"] = stats.bytes_in_use;
  result["peak_bytes"] = stats.peak_bytes;
  result["allocations"] = stats.allocations;
  return result;
}

void Synchronize(const std::string& name) {
  Device& device = Find(name);
  Status done;
  {
    ReleaseGil released;
    done = WaitForDevice(device);
  }
  ThrowIfError(done);
}

}  // namespace

std::string ShortName(const std::string& name) {
  std::string text = name.substr(name.rfind('/') + 1);
  constexpr std::string_view kPrefix = "device:", kGpu = "gpu:";
  if (text.starts_with(kPrefix)) text.erase(0, kPrefix.size());
  // GPUs are named after their platform, as users expect.
  if (text.starts_with(kGpu)) text.replace(0, kGpu.size(), "cuda:");
  return text == "cpu:0" ? "cpu" : text;
}

void BindDevices(nb::module_& m) {
  m.def("device_names", &Names);
  m.def(
      "find_device",
      [](const std::string& name) { return ShortName(Find(name).name_text()); },
      "name"_a);
  m.def(
      "add_cpu_devices",
      [](int count) { ThrowIfError(Devices::AddCpus(count)); }, "count"_a);
  m.def(
      "add_sim_devices",
      [](int count, int64_t memory, double flops, double bandwidth,
         double link_bandwidth, double link_latency) {
        SimOptions options;
        options.memory_bytes = memory;
        options.flops_per_second = flops;
        options.bytes_per_second = bandwidth;
        options.link_bytes_per_second = link_bandwidth;
        options.link_latency_seconds = link_latency;
        ThrowIfError(AddSimDevices(count, options).status());
      },
      "count"_a, "memory"_a, "flops"_a, "bandwidth"_a, "link_bandwidth"_a,
      "link_latency"_a);
  m.def("device_memory", &MemoryStats, "name"_a);
  m.def(
      "set_device_memory_limit",
      [](const std::string& name, int64_t bytes) {
        Find(name).memory().allocator().SetLimit(bytes);
      },
      "name"_a, "bytes"_a);
  m.def("synchronize_device", &Synchronize, "name"_a);
  m.def(
      "tensor_device",
      [](const Tensor& t) {
        std::string name = t.device();
        return name.empty() ? std::string("cpu") : ShortName(name);
      },
      "tensor"_a);
  m.def(
      "device_for_like",
      [](const Tensor& t) {
        bool known = !t.symbolic() || t.traced();
        std::string name = known ? ShortName(t.device()) : std::string();
        return name == "cpu" && !MakingDevice() ? std::string() : name;
      },
      "tensor"_a,
      "Where a tensor like it goes; empty: where tensors go anyway.");
  m.def(
      "tensor_to",
      [](const Tensor& t, const std::string& device) { return t.to(device); },
      "tensor"_a, "device"_a);
}

}  // namespace sluice::py
