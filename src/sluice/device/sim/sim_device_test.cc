#include "sluice/device/sim/sim_device.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sluice/base/error.h"
#include "sluice/device/devices.h"
#include "sluice/device/stream_order.h"

namespace sluice {
namespace {

TEST(SimDeviceDeathTest, TheHostCannotTouchItsMemory) {
  SimWorld world;
  SimDevice& device = **world.AddDevice();
  Array a = *Array::Make(DType::kF32, {4}, device.allocator());
  EXPECT_FALSE(a.on_host());
  EXPECT_EQ(a.memory(), &device.memory());
  try {
    a.data<float>();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/device:sim:0"),
              std::string::npos);
  }
  EXPECT_DEATH(
      {
        volatile char c = *static_cast<char*>(a.address());
        (void)c;
      },
      "");
}

TEST(SimDevice, KernelsReadAndWriteArraysInStreamOrder) {
  SimWorld world;
  SimDevice& device = **world.AddDevice();
  SimStream& compute = device.stream();
  Array a = *Array::Make(DType::kF32, {1000}, device.allocator());
  std::vector<float> host(1000), back(1000);
  std::iota(host.begin(), host.end(), 0.0f);
  compute.Copy({&device.memory(), a.address()}, {nullptr, host.data()}, 4000);
  compute.Run({.label = "double", .run = [a = a.Borrowed()] {
                 float* x = a.mutable_data<float>();
                 for (int i = 0; i < 1000; ++i) x[i] *= 2;
               }});
  compute.Copy({nullptr, back.data()}, {&device.memory(), a.address()}, 4000);
  EXPECT_EQ(back[10], 0);  // nothing runs by itself
  ASSERT_TRUE(compute.Synchronize().ok());
  EXPECT_EQ(back[10], 20);
  EXPECT_EQ(back[999], 1998);
}

TEST(SimDevice, PeersCopyFromEachOther) {
  SimWorld world;
  SimDevice& a = **world.AddDevice();
  SimDevice& b = **world.AddDevice(
      {.link_bytes_per_second = 1e9, .link_latency_seconds = 1e-3});
  EXPECT_EQ(b.name_text(), "/device:sim:1");
  Array x = *Array::Make(DType::kI32, {2}, a.allocator());
  Array y = *Array::Make(DType::kI32, {2}, b.allocator());
  int host[2] = {7, 8}, back[2] = {};
  SimStream& from = a.stream(StreamUse::kFromHost);
  from.Copy({&a.memory(), x.address()}, {nullptr, host}, 8);
  b.stream(StreamUse::kPeer).WaitFor(from.Record());
  double before = world.host_seconds();
  b.stream(StreamUse::kPeer)
      .Copy({&b.memory(), y.address()}, {&a.memory(), x.address()}, 8);
  b.stream(StreamUse::kPeer)
      .Copy({nullptr, back}, {&b.memory(), y.address()}, 8);
  ASSERT_TRUE(b.stream(StreamUse::kPeer).Synchronize().ok());
  EXPECT_EQ(back[0], 7);
  EXPECT_EQ(back[1], 8);
  EXPECT_GT(world.host_seconds(), before + 2e-3);  // the slower one's link
}

TEST(SimDevice, MemoryIsCountedAndLimitedByTheCap) {
  SimWorld world;
  SimDevice& device = **world.AddDevice({.memory_bytes = 1000});
  {
    Array a = *Array::Make(DType::kU8, {600}, device.allocator());
    Result<Array> more = Array::Make(DType::kU8, {401}, device.allocator());
    ASSERT_FALSE(more.ok());
    EXPECT_EQ(more.status().code(), Code::kResourceExhausted);
    EXPECT_TRUE(Array::Make(DType::kU8, {400}, device.allocator()).ok());
    EXPECT_EQ(device.allocator().stats().bytes_in_use, 600);
  }
  EXPECT_EQ(device.allocator().stats().bytes_in_use, 0);
  EXPECT_EQ(device.allocator().stats().peak_bytes, 1000);
}

TEST(SimDevice, PoisonComesBeforeTheNewOwner) {
  SimWorld world;
  SimDevice& device = **world.AddDevice({.poison = true});
  SimStream& compute = device.stream();
  std::vector<uint32_t> seen;
  for (int i = 0; i < 2; ++i) {
    Array a = *Array::Make(DType::kI32, {1}, device.allocator());
    Array look = a.Borrowed();
    compute.Run({.label = "look", .run = [look, &seen] {
                   seen.push_back(*look.data<int32_t>());
                   *look.mutable_data<int32_t>() = 5;
                 }});
  }
  ASSERT_TRUE(compute.Synchronize().ok());
  EXPECT_EQ(seen, (std::vector<uint32_t>{0xFFFFFFFFu, 0xFFFFFFFFu}));
}

TEST(SimDevice, WhatAKernelThrowsIsTheStreamsError) {
  SimWorld world;
  SimDevice& device = **world.AddDevice();
  int ran = 0;
  device.stream().Run(
      {.label = "bad", .run = [] { throw Error(OutOfRange("index 7 of 3")); }});
  device.stream().Run({.label = "next", .run = [&] { ++ran; }});
  Status status = device.stream().Synchronize();
  EXPECT_EQ(status.code(), Code::kOutOfRange);
  EXPECT_EQ(status.message(), "index 7 of 3");
  EXPECT_EQ(ran, 1);
  EXPECT_TRUE(device.stream().Synchronize().ok());
}

TEST(SimDevice, FaultsHappenOnceAndEndWithTheirScope) {
  SimWorld world;
  SimDevice& device = **world.AddDevice();
  Memory& memory = device.memory();
  {
    SimFaultScope faults(device, {.fail_allocation = 2, .fail_copy = 3});
    Array a = *Array::Make(DType::kI32, {1}, device.allocator());
    EXPECT_FALSE(Array::Make(DType::kI32, {1}, device.allocator()).ok());
    EXPECT_TRUE(Array::Make(DType::kI32, {1}, device.allocator()).ok());
    int values[3] = {1, 2, 3};
    for (int& value : values) {
      device.stream().Copy({&memory, a.address()}, {nullptr, &value}, 4);
      int back = 0;
      Status status = device.stream().Synchronize();
      EXPECT_EQ(status.ok(), value != 2);
      if (value == 2) {
        EXPECT_EQ(status.code(), Code::kUnavailable);
        EXPECT_NE(status.message().find("/device:sim:0: a copy of 4 bytes"),
                  std::string::npos);
      }
      device.stream().Copy({nullptr, &back}, {&memory, a.address()}, 4);
      // What a failed copy was to write cannot be read.
      ASSERT_EQ(device.stream().Synchronize().ok(), value != 2);
      if (value != 2) EXPECT_EQ(back, value);
    }
    device.SetFaults({.fail_allocation = 1});
  }
  EXPECT_TRUE(Array::Make(DType::kI32, {1}, device.allocator()).ok());
  EXPECT_EQ(device.allocator().stats().bytes_in_use, 0);
}

TEST(SimDevice, CopiesCanBeSlow) {
  auto seconds = [](double slowdown) {
    SimWorld world;
    SimDevice& device = **world.AddDevice({.launch_seconds = 0});
    device.SetFaults({.copy_slowdown = slowdown});
    Array a = *Array::Make(DType::kU8, {1 << 20}, device.allocator());
    std::vector<char> host(1 << 20);
    device.stream().Copy({&device.memory(), a.address()},
                         {nullptr, host.data()}, 1 << 20);
    EXPECT_TRUE(device.stream().Synchronize().ok());
    return world.host_seconds();
  };
  EXPECT_DOUBLE_EQ(seconds(10), 10 * seconds(1));
}

TEST(SimDevice, FiguresThatCannotBeAreNamed) {
  SimWorld world;
  const std::pair<SimOptions, const char*> kBad[] = {
      {{.memory_bytes = 0}, "memory_bytes 0; wanted 1 to"},
      {{.flops_per_second = 0}, "flops_per_second 0; wanted a number above 0"},
      {{.bytes_per_second = -1}, "bytes_per_second -1"},
      {{.kernel_seconds = -1}, "kernel_seconds -1; wanted a number of 0"},
      {{.link_bytes_per_second = 0}, "link_bytes_per_second"},
  };
  for (const auto& [options, message] : kBad) {
    Result<SimDevice*> device = world.AddDevice(options);
    ASSERT_FALSE(device.ok());
    EXPECT_NE(device.status().message().find(message), std::string::npos)
        << device.status().message();
  }
  EXPECT_FALSE(AddSimDevices(0).ok());
  EXPECT_FALSE(AddSimDevices(kMaxSimDevices + 1).ok());
}

TEST(SimDevice, ProgramsFindThemByName) {
  Result<Device*> first = AddSimDevices(2);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*AddSimDevices(1), *first);
  EXPECT_EQ(*Devices::Find("sim:0"), *first);
  Device* second = *Devices::Find("sim:1");
  EXPECT_EQ(second->kind(), DeviceKind::kSim);
  EXPECT_FALSE(second->synchronous());
  Array a = *Array::Make(DType::kF32, {3}, second->memory().allocator());
  EXPECT_EQ(&Devices::Of(a), second);
}

TEST(SimDevice, RangesSpanStridedArrays) {
  Array a = *Array::Make(DType::kF32, {4, 5});
  ByteRange whole = RangeOf(a);
  EXPECT_EQ(whole.memory, nullptr);
  EXPECT_EQ(whole.bytes, 80);
  ByteRange column = RangeOf(Array::View(a, 2, {4}, {5}));
  EXPECT_EQ(column.address, static_cast<char*>(a.address()) + 8);
  EXPECT_EQ(column.bytes, 4 * (3 * 5 + 1));
  ByteRange back = RangeOf(Array::View(a, 19, {20}, {-1}));
  EXPECT_EQ(back.address, a.address());
  EXPECT_EQ(back.bytes, 80);
  EXPECT_EQ(RangeOf(*Array::Make(DType::kF32, {0, 3})).bytes, 0);
}

}  // namespace
}  // namespace sluice
