#include "sluice/device/stream_order.h"

#include <gtest/gtest.h>

#include "sluice/device/device_allocator.h"
#include "sluice/device/fake_stream_test_util.h"
#include "sluice/tensor/array.h"

namespace sluice {
namespace {

struct StreamOrderTest : testing::Test {
  FakeStream compute{"compute"}, copy{"copy"}, peer{"peer"};
  FakeMemory memory;
  DeviceAllocator allocator{
      memory, compute, {reinterpret_cast<char*>(1 << 20), 1 << 20}, 1 << 20};
  Array Make(Stream& s) {
    return *Array::Make(DType::kF32, {100}, allocator.For(s));
  }
};

TEST_F(StreamOrderTest, OneStreamNeverWaitsNorMarks) {
  Array a = Make(compute);
  for (int i = 0; i < 3; ++i) {
    BeforeWrite(compute, a);
    AfterWrite(compute, a, false);
    BeforeRead(compute, a);
    AfterRead(compute, a);
  }
  a = Array();
  Array b = Make(compute);
  EXPECT_EQ(compute.num_events(), 0);
  EXPECT_EQ(compute.TakeWaits(), "");
}

TEST_F(StreamOrderTest, AReaderElsewhereWaitsOnceForTheMarkedWrite) {
  Array a = Make(compute);
  BeforeWrite(compute, a);
  AfterWrite(compute, a, true);
  compute.Record();  // later work, which the reader need not wait for
  BeforeRead(copy, a);
  AfterRead(copy, a);
  EXPECT_EQ(copy.TakeWaits(), "compute 1");
  BeforeRead(copy, a);
  EXPECT_EQ(copy.TakeWaits(), "");
  BeforeRead(peer, a);
  EXPECT_EQ(peer.TakeWaits(), "compute 1");
}

TEST_F(StreamOrderTest, AWriteThatWasNotMarkedIsMarkedByItsFirstReader) {
  Array a = Make(compute);
  AfterWrite(compute, a, false);
  EXPECT_EQ(compute.num_events(), 0);
  BeforeRead(copy, a);
  BeforeRead(peer, a);
  EXPECT_EQ(copy.TakeWaits(), "compute 1");
  EXPECT_EQ(peer.TakeWaits(), "compute 1");
}

TEST_F(StreamOrderTest, AWriterWaitsForTheReadersOfOtherStreams) {
  Array a = Make(compute);
  AfterWrite(compute, a, true);
  for (Stream* s : {&copy, &peer}) {
    BeforeRead(*s, a);
    AfterRead(*s, a);
    AfterRead(*s, a);  // the later one stands for both
  }
  BeforeWrite(compute, a);
  EXPECT_EQ(compute.TakeWaits(), "copy 2, peer 2");
  AfterWrite(compute, a, false);
  // What comes now waits for the new write alone.
  BeforeWrite(compute, a);
  EXPECT_EQ(compute.TakeWaits(), "");
  copy.TakeWaits();
  BeforeRead(copy, a);
  EXPECT_EQ(copy.TakeWaits(), "compute 2");
}

TEST_F(StreamOrderTest, AWriterElsewhereWaitsForReadsOnTheHomeStream) {
  Array a = Make(copy);
  AfterWrite(copy, a, true);
  AfterRead(copy, a);
  BeforeWrite(compute, a);
  EXPECT_EQ(compute.TakeWaits(), "copy 1, copy 2");
}

TEST_F(StreamOrderTest, MemoryThatHomeUsedBeforeIsItsOwnToOthers) {
  {
    Array old = Make(compute);
  }
  Array a = Make(compute);
  BeforeWrite(copy, a);
  EXPECT_EQ(copy.TakeWaits(), "compute 1");
}

TEST_F(StreamOrderTest, HostArraysHaveNoOrder) {
  Array host = *Array::Make(DType::kF32, {1000});
  EXPECT_EQ(BlockUseOf(host), nullptr);
  BeforeWrite(compute, host);
  AfterWrite(compute, host, true);
  BeforeRead(copy, host);
  AfterRead(copy, host);
  EXPECT_EQ(compute.num_events() + copy.num_events(), 0);
  EXPECT_EQ(BlockUseOf(Make(compute).Borrowed()), nullptr);
}

TEST_F(StreamOrderTest, ViewsShareTheOrderOfTheirBlock) {
  Array a = Make(compute);
  Array part = Array::View(a, 10, {5}, {1});
  EXPECT_EQ(BlockUseOf(part), BlockUseOf(a));
  EXPECT_NE(BlockUseOf(part), nullptr);
}

}  // namespace
}  // namespace sluice
