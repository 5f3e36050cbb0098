#include "sluice/device/cpu/cpu_device.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(CpuDevice, WorkIsDoneWhenItIsIssued) {
  Device& cpu = CpuDevice();
  EXPECT_EQ(cpu.name(), "/cpu:0");
  EXPECT_TRUE(cpu.host_memory());
  Block block = cpu.allocator().Allocate(64);
  ASSERT_NE(block.data, nullptr);
  int from = 42, called = 0;
  cpu.stream().Copy(block.data, &from, sizeof from);
  EXPECT_EQ(*static_cast<int*>(block.data), 42);
  EXPECT_TRUE(cpu.stream().Record()->Reached());
  cpu.stream().Then([](void* count) { ++*static_cast<int*>(count); }, &called);
  EXPECT_EQ(called, 1);
  EXPECT_TRUE(cpu.stream().Synchronize().ok());
  cpu.allocator().Free(block);
}

TEST(CpuDevice, MemoryThatCannotBeIsRefused) {
  EXPECT_EQ(CpuDevice().allocator().Allocate(int64_t{1} << 50).data, nullptr);
  EXPECT_EQ(CpuDevice().allocator().Allocate(-1).data, nullptr);
}

}  // namespace
}  // namespace sluice
