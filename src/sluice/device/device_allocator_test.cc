#include "sluice/device/device_allocator.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "sluice/base/random.h"
#include "sluice/device/fake_stream_test_util.h"

namespace sluice {
namespace {

constexpr int64_t kRange = 1 << 20;
char* Base() { return reinterpret_cast<char*>(intptr_t{1} << 30); }

struct DeviceAllocatorTest : testing::Test {
  FakeStream compute{"compute"}, copy{"copy"};
  FakeMemory memory;
  DeviceAllocator allocator{memory, compute, {Base(), kRange}, kRange};
  static BlockUse& Use(const Block& block) {
    return *static_cast<BlockUse*>(block.record);
  }
};

TEST_F(DeviceAllocatorTest, CountsWhatIsAskedFor) {
  Block a = allocator.Allocate(1), b = allocator.Allocate(300);
  Block none = allocator.Allocate(0);
  EXPECT_EQ(allocator.stats().bytes_in_use, 301);
  EXPECT_EQ(allocator.stats().allocations, 3);
  EXPECT_EQ(a.data, Base());
  EXPECT_EQ(b.data, Base() + 256);
  EXPECT_EQ(none.data, Base() + 768);
  allocator.Free(a);
  allocator.Free(b);
  allocator.Free(none);
  allocator.Free({});
  EXPECT_EQ(allocator.stats().bytes_in_use, 0);
  EXPECT_EQ(allocator.stats().peak_bytes, 301);
  EXPECT_EQ(allocator.stats().bytes_cached, 1024);
  allocator.ResetPeak();
  EXPECT_EQ(allocator.stats().peak_bytes, 0);
}

TEST_F(DeviceAllocatorTest, RefusesWhatGoesBeyondTheLimit) {
  allocator.SetLimit(1000);
  Block a = allocator.Allocate(600);
  EXPECT_EQ(allocator.Allocate(401).data, nullptr);
  EXPECT_EQ(allocator.Allocate(-1).data, nullptr);
  EXPECT_EQ(allocator.Allocate(INT64_MAX).data, nullptr);
  Block b = allocator.Allocate(400);
  EXPECT_NE(b.data, nullptr);
  EXPECT_EQ(allocator.stats().bytes_in_use, 1000);
  allocator.Free(a);
  allocator.Free(b);
}

TEST_F(DeviceAllocatorTest, TakesTheSmallestPlaceThatFits) {
  Block a = allocator.Allocate(2048), b = allocator.Allocate(256);
  Block c = allocator.Allocate(512), d = allocator.Allocate(256);
  allocator.Free(a);
  allocator.Free(c);
  Block small = allocator.Allocate(500);
  EXPECT_EQ(small.data, c.data);
  // Neighbours become one again.
  allocator.Free(small);
  allocator.Free(b);
  Block whole = allocator.Allocate(2048 + 256 + 512);
  EXPECT_EQ(whole.data, a.data);
  allocator.Free(whole);
  allocator.Free(d);
}

TEST_F(DeviceAllocatorTest, ShortBlocksComeBackAsTheyWereAndAreNotLost) {
  DeviceAllocator own{
      memory, compute, {Base(), kRange, /*mark_from=*/4096}, kRange};
  Block a = own.Allocate(512), b = own.Allocate(512), c = own.Allocate(256);
  own.Free(a);
  own.Free(b);
  // The one that was freed last; another stream looks further.
  Block again = own.Allocate(512);
  EXPECT_EQ(again.data, b.data);
  own.Free(again);
  Block elsewhere = own.AllocateFor(copy, 512);
  EXPECT_NE(elsewhere.data, b.data);
  own.Free(elsewhere);
  own.Free(c);
  Block whole = own.Allocate(kRange);
  EXPECT_EQ(whole.data, Base());
  own.Free(whole);
}

TEST_F(DeviceAllocatorTest, AnotherStreamTakesFreeMemoryBeforeItWaits) {
  Block a = allocator.Allocate(256);
  Block other = allocator.AllocateFor(copy, 256);
  allocator.Free(a);
  Block b = allocator.AllocateFor(copy, 256);
  EXPECT_NE(b.data, a.data);
  EXPECT_EQ(copy.TakeWaits(), "");
  // The same stream has it at once.
  Block c = allocator.Allocate(256);
  EXPECT_EQ(c.data, a.data);
  allocator.Free(c);
  // Once compute is done with it, it is anybody's.
  compute.Finish();
  Block d = allocator.AllocateFor(copy, 256);
  EXPECT_EQ(d.data, a.data);
  for (Block block : {other, b, d}) allocator.Free(block);
}

TEST_F(DeviceAllocatorTest, AFullDeviceMakesTheStreamWait) {
  Block a = allocator.Allocate(kRange / 2), b = allocator.Allocate(kRange / 2);
  Use(a).AfterRead(copy);  // copy 1
  allocator.Free(a);
  Block c = allocator.AllocateFor(copy, 1000);  // its own reads are no matter
  EXPECT_EQ(c.data, a.data);
  EXPECT_EQ(copy.TakeWaits(), "compute 1");
  allocator.Free(c);
  allocator.Free(b);
  // A place that spans parts of several users waits for them all.
  Block whole = allocator.Allocate(kRange);
  EXPECT_EQ(whole.data, Base());
  std::string waits = compute.TakeWaits();
  EXPECT_NE(waits.find("copy"), std::string::npos) << waits;
  EXPECT_EQ(waits.find("compute"), std::string::npos) << waits;
  allocator.Free(whole);
}

TEST_F(DeviceAllocatorTest, ReadersElsewhereAreWaitedFor) {
  Block a = allocator.Allocate(kRange);
  Use(a).AfterWrite(compute, true);
  Use(a).BeforeRead(copy);
  Use(a).AfterRead(copy);
  copy.TakeWaits();
  allocator.Free(a);
  Block b = allocator.Allocate(kRange);
  EXPECT_EQ(compute.TakeWaits(), "copy 1");
  allocator.Free(b);
}

TEST_F(DeviceAllocatorTest, ThereIsNoMoreMemoryThanTheLimit) {
  allocator.SetLimit(1000);
  Block other = allocator.AllocateFor(copy, 100);
  Block a = allocator.Allocate(300), b = allocator.Allocate(300);
  Use(a).AfterRead(copy);  // copy 1
  Use(b).AfterRead(copy);  // copy 2
  allocator.Free(a);       // compute 1
  allocator.Free(b);       // compute 2
  // Addresses enough, and memory too.
  Block c = allocator.AllocateFor(copy, 300);
  EXPECT_EQ(copy.TakeWaits(), "");
  // The last bytes: those that were freed first have to be over.
  Block d = allocator.AllocateFor(copy, 200);
  EXPECT_EQ(copy.TakeWaits(), "compute 1");
  EXPECT_NE(d.data, a.data);
  // 200 of these are counted off; more takes of the others.
  Block e = allocator.AllocateFor(copy, 100);
  EXPECT_EQ(copy.TakeWaits(), "compute 1");
  Block f = allocator.AllocateFor(copy, 1);
  EXPECT_EQ(copy.TakeWaits(), "compute 2");
  for (Block block : {other, c, d, e, f}) allocator.Free(block);
  // Memory of the same stream is no matter.
  for (int i = 0; i < 10; ++i) allocator.Free(allocator.AllocateFor(copy, 999));
  EXPECT_EQ(copy.TakeWaits(), "compute 2");
}

struct Refusing final : AllocationWatcher {
  bool Refuse(int64_t bytes) override { return bytes == 13; }
  bool Allocated(Stream&, void*, int64_t) override { return false; }
  void Freed(void*, int64_t) override {}
};

TEST_F(DeviceAllocatorTest, AWatcherMayRefuse) {
  Refusing watcher;
  DeviceAllocator watched(memory, compute, {Base(), kRange}, kRange, &watcher);
  EXPECT_EQ(watched.Allocate(13).data, nullptr);
  EXPECT_EQ(watched.stats().bytes_in_use, 0);
  Block block = watched.Allocate(14);
  EXPECT_NE(block.data, nullptr);
  watched.Free(block);
}

// Against a model that only knows which bytes are taken: no two blocks overlap,
// nothing that fits is refused, and counts are exact.
TEST_F(DeviceAllocatorTest, RandomRequestsNeverOverlap) {
  std::map<char*, std::pair<Block, int64_t>> live;
  FakeStream* streams[] = {&compute, &copy};
  int64_t in_use = 0;
  for (uint64_t i = 0; i < 20000; ++i) {
    RandomBlock r = RandomBits({18, 0}, i);
    FakeStream& stream = *streams[r[3] % 2];
    if (r[0] % 100 < 55 || live.empty()) {
      int64_t bytes = r[1] % (r[2] % 8 == 0 ? 60000 : 2000);
      Block block = allocator.AllocateFor(stream, bytes);
      stream.TakeWaits();
      if (!block.data) {
        ASSERT_GT(in_use, kRange / 4);
        continue;
      }
      auto* begin = static_cast<char*>(block.data);
      ASSERT_EQ(reinterpret_cast<intptr_t>(begin) % 256, 0);
      ASSERT_GE(begin, Base());
      ASSERT_LE(begin + block.bytes, Base() + kRange);
      auto next = live.lower_bound(begin);
      ASSERT_TRUE(next == live.end() || begin + block.bytes <= next->first);
      if (next != live.begin()) {
        --next;
        ASSERT_LE(next->first + next->second.first.bytes, begin);
      }
      live[begin] = {block, bytes};
      in_use += bytes;
    } else {
      auto at = live.begin();
      std::advance(at, r[1] % live.size());
      if (r[2] % 2) Use(at->second.first).AfterRead(stream);
      allocator.Free(at->second.first);
      in_use -= at->second.second;
      live.erase(at);
    }
    if (r[0] % 64 == 7) compute.Finish();
    ASSERT_EQ(allocator.stats().bytes_in_use, in_use);
  }
  for (auto& [begin, block] : live) allocator.Free(block.first);
  EXPECT_EQ(allocator.stats().bytes_in_use, 0);
  Block whole = allocator.Allocate(kRange);
  EXPECT_EQ(whole.data, Base());
  allocator.Free(whole);
}

}  // namespace
}  // namespace sluice
