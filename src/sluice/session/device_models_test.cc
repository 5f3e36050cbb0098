#include "sluice/session/device_models.h"

#include <gtest/gtest.h>

#include "sluice/device/devices.h"
#include "sluice/device/sim/sim_device.h"
#include "sluice/tensor/memory_limit.h"

namespace sluice {
namespace {

TEST(DeviceModels, SimulatedDevicesSayTheirFigures) {
  ASSERT_TRUE(AddSimDevices(1).ok());
  Device& device = **Devices::Find("sim:0");
  const SimOptions& o = static_cast<SimDevice&>(device).options();
  DeviceModel model = ModelOf(device);
  EXPECT_EQ(model.name, device.name());
  EXPECT_EQ(model.flops_per_second, o.flops_per_second);
  EXPECT_EQ(model.bytes_per_second, o.bytes_per_second);
  EXPECT_EQ(model.launch_seconds, o.kernel_seconds);
  LinkModel link = LinkBetween(CpuDevice(), device);
  EXPECT_EQ(link.bytes_per_second, o.link_bytes_per_second);
  EXPECT_EQ(link.latency_seconds, o.link_latency_seconds);
}

TEST(DeviceModels, MemoryIsTheLimitOfNow) {
  ASSERT_TRUE(AddSimDevices(1).ok());
  ASSERT_TRUE(Devices::AddCpus(2).ok());
  EXPECT_EQ(ModelOf(CpuDevice()).memory_bytes, MemoryLimit());
  for (const char* name : {"cpu:0", "cpu:1", "sim:0"}) {
    Device& device = **Devices::Find(name);
    int64_t before = ModelOf(device).memory_bytes;
    device.memory().allocator().SetLimit(1 << 20);
    EXPECT_EQ(ModelOf(device).memory_bytes, 1 << 20) << name;
    device.memory().allocator().SetLimit(before);
    EXPECT_EQ(ModelOf(device).memory_bytes, before) << name;
  }
}

TEST(DeviceModels, OfTwoLinksTheSlowerCounts) {
  ASSERT_TRUE(AddSimDevices(1).ok());
  Device& first = **Devices::Find("sim:0");
  int next = 1;
  while (Devices::Find(DeviceName::Local(DeviceKind::kSim, next))) ++next;
  SimOptions slow;
  slow.link_bytes_per_second = 1e9;
  slow.link_latency_seconds = 1e-3;
  ASSERT_TRUE(AddSimDevices(next + 1, slow).ok());
  Device& second = *Devices::Find(DeviceName::Local(DeviceKind::kSim, next));
  for (bool swap : {false, true}) {
    LinkModel link =
        swap ? LinkBetween(second, first) : LinkBetween(first, second);
    EXPECT_EQ(link.bytes_per_second, 1e9);
    EXPECT_EQ(link.latency_seconds, 1e-3);
  }
}

}  // namespace
}  // namespace sluice
