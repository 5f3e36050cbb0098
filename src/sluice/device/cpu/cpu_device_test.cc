#include "sluice/device/cpu/cpu_device.h"

#include <gtest/gtest.h>

#include "sluice/device/devices.h"
#include "sluice/tensor/adopt.h"
#include "sluice/tensor/array.h"

namespace sluice {
namespace {

TEST(CpuDevice, WorkIsDoneWhenItIsIssued) {
  Device& cpu = CpuDevice();
  EXPECT_EQ(cpu.name_text(), "/device:cpu:0");
  EXPECT_TRUE(cpu.memory().on_host());
  EXPECT_TRUE(cpu.synchronous());
  Block block = cpu.memory().allocator().Allocate(64);
  ASSERT_NE(block.data, nullptr);
  int from = 42, called = 0;
  cpu.stream().Copy({nullptr, block.data}, {nullptr, &from}, sizeof from);
  EXPECT_EQ(*static_cast<int*>(block.data), 42);
  EXPECT_TRUE(cpu.stream().Record()->Reached());
  cpu.stream().Then([](void* count) { ++*static_cast<int*>(count); }, &called);
  EXPECT_EQ(called, 1);
  EXPECT_TRUE(cpu.stream().Synchronize().ok());
  cpu.memory().allocator().Free(block);
}

TEST(CpuDevice, MemoryThatCannotBeIsRefused) {
  Allocator& host = CpuDevice().memory().allocator();
  EXPECT_EQ(host.Allocate(int64_t{1} << 50).data, nullptr);
  EXPECT_EQ(host.Allocate(-1).data, nullptr);
}

TEST(CpuDevice, SeveralCountTheirMemoryToTheByte) {
  ASSERT_TRUE(Devices::AddCpus(3).ok());
  ASSERT_TRUE(Devices::AddCpus(2).ok());  // there are enough
  Device* second = *Devices::Find("cpu:1");
  Device* third = *Devices::Find("/device:cpu:2");
  EXPECT_NE(second, third);
  Allocator& allocator = second->memory().allocator();
  allocator.ResetPeak();
  {
    Array a = *Array::Make(DType::kF32, {3}, allocator);
    EXPECT_EQ(a.memory(), &second->memory());
    EXPECT_EQ(&Devices::Of(a), second);
    EXPECT_EQ(allocator.stats().bytes_in_use, 12);
    Array part = Array::View(a, 1, {2}, {1});
    EXPECT_EQ(part.memory(), a.memory());
    Array b = *Array::Make(DType::kI64, {1000}, allocator);
    EXPECT_EQ(allocator.stats().bytes_in_use, 8012);
    allocator.SetLimit(8100);
    EXPECT_TRUE(Array::Make(DType::kU8, {88}, allocator).ok());
    Result<Array> more = Array::Make(DType::kU8, {89}, allocator);
    ASSERT_FALSE(more.ok());
    EXPECT_EQ(more.status().code(), Code::kResourceExhausted);
    allocator.SetLimit(INT64_MAX);
  }
  EXPECT_EQ(allocator.stats().bytes_in_use, 0);
  EXPECT_EQ(allocator.stats().peak_bytes, 8100);
}

// What nobody else holds may change hands: each device's books say what it has.
TEST(CpuDevice, ASmallArrayIsAdoptedAndALargeOneIsNot) {
  ASSERT_TRUE(Devices::AddCpus(3).ok());
  Memory& first = (*Devices::Find("cpu:1"))->memory();
  Memory& second = (*Devices::Find("cpu:2"))->memory();
  auto in_use = [](Memory& memory) {
    return memory.allocator().stats().bytes_in_use;
  };
  {
    Array a = *Array::Make(DType::kF32, {3}, first.allocator());
    EXPECT_TRUE(Adopt(a, &second));
    EXPECT_EQ(a.memory(), &second);
    EXPECT_EQ(in_use(first), 0);
    EXPECT_EQ(in_use(second), 12);
    second.allocator().SetLimit(12);
    Array b = *Array::Make(DType::kF32, {1}, first.allocator());
    EXPECT_FALSE(Adopt(b, &second));  // there is no room
    second.allocator().SetLimit(INT64_MAX);
    EXPECT_TRUE(Adopt(a, nullptr));  // the host's
    EXPECT_EQ(in_use(second), 0);
    EXPECT_TRUE(Adopt(a, &first));
    EXPECT_EQ(in_use(first), 16);
    Array large = *Array::Make(DType::kF32, {1000}, first.allocator());
    EXPECT_FALSE(Adopt(large, &second));
    EXPECT_TRUE(Adopt(large, &first));
    EXPECT_FALSE(Adopt(Array::View(a, 1, {2}, {1}), &second));
  }
  EXPECT_EQ(in_use(first), 0);
  EXPECT_EQ(in_use(second), 0);
}

TEST(CpuDevice, UnknownOnesAreNamedWithThoseThereAre) {
  Result<Device*> found = Devices::Find("gpu:77");
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.status().message().find("there is no device \"gpu:77\""),
            std::string::npos);
  EXPECT_NE(found.status().message().find("/device:cpu:0"), std::string::npos);
  EXPECT_FALSE(Devices::AddCpus(0).ok());
  EXPECT_FALSE(Devices::AddCpus(kMaxCpuDevices + 1).ok());
}

}  // namespace
}  // namespace sluice
