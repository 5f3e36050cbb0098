#include "sluice/tensor/memory_limit.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "sluice/base/sanitizers.h"
#include "sluice/tensor/allocator.h"
#include "sluice/tensor/empty_shape.h"

namespace sluice {
namespace {

using Paths = std::vector<std::string>;

TEST(MemoryLimit, IsThatOfTheControlGroupsAround) {
  EXPECT_EQ(
      LimitFiles("0::/a/b\n", "/cg"),
      (Paths{"/cg/a/b/memory.max", "/cg/a/memory.max", "/cg/memory.max"}));
  EXPECT_EQ(LimitFiles("0::/\n", "/cg"), Paths{"/cg/memory.max"});
  EXPECT_EQ(LimitFiles("12:cpu,cpuacct:/x\n9:memory:/docker/1\n", "/cg"),
            (Paths{"/cg/memory/docker/1/memory.limit_in_bytes",
                   "/cg/memory/docker/memory.limit_in_bytes",
                   "/cg/memory/memory.limit_in_bytes"}));
  EXPECT_EQ(LimitFiles("nonsense\n::", "/cg"), Paths{"/cg/memory.max"});
  EXPECT_EQ(LimitFiles("", "/cg"), Paths{});
}

TEST(MemoryLimit, NumbersAndNone) {
  EXPECT_EQ(ParseLimit("1048576\n"), 1048576);
  EXPECT_EQ(ParseLimit("max\n"), -1);
  EXPECT_EQ(ParseLimit(""), -1);
  EXPECT_EQ(ParseLimit("12x"), -1);
  EXPECT_EQ(ParseLimit("99999999999999999999"), -1);
  EXPECT_GT(MemoryLimit(), 0);
}

// Blocks kept for reuse were not counted: twice the limit could be allocated.
TEST(Allocator, WhatIsCachedCountsTowardsTheLimit) {
  Allocator& host = HostAllocator();
  host.ReleaseCached();
  constexpr int64_t kBytes = int64_t{48} << 20;
  int64_t before = host.stats().bytes_in_use;
  host.SetLimit(before + 2 * kBytes);
  Block first = host.Allocate(kBytes);
  ASSERT_NE(first.data, nullptr);
  host.Free(first);  // cached
  // Another size: the cached block does not fit and must be released first.
  Block second = host.Allocate(kBytes + kBytes / 2);
  ASSERT_NE(second.data, nullptr);
  EXPECT_LE(host.stats().bytes_cached + host.stats().bytes_in_use,
            before + 2 * kBytes);
  host.Free(second);
  host.SetLimit(MemoryLimit());
}

// The child had a copy of a lock held by another thread, and waited forever.
TEST(Allocator, AForkWhileOthersAllocate) {
  // Blocks are recorded (LiveBlocks) in heap memory, and the heap of
  // AddressSanitizer is not always usable in such a child.
  if (SL_ASAN) GTEST_SKIP() << "not with AddressSanitizer's heap";
  std::atomic<bool> stop{false};
  std::vector<std::thread> others;
  for (int t = 0; t < 3; ++t) {
    others.emplace_back([&] {
      while (!stop) {
        Block a = HostAllocator().Allocate(int64_t{3} << 20);
        HostAllocator().Free(a);
      }
    });
  }
  int failed = 0;
  for (int i = 0; i < 100; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(20);  // kills a child that hangs
      Block a = HostAllocator().Allocate(int64_t{3} << 20);
      Block b = HostAllocator().Allocate(int64_t{5} << 20);
      HostAllocator().Free(a);
      HostAllocator().Free(b);
      _exit(a.data && b.data ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    failed += status != 0;
  }
  stop = true;
  for (std::thread& t : others) t.join();
  EXPECT_EQ(failed, 0);
}

TEST(EmptyShape, ManyRowsOfNothingAreNoData) {
  EXPECT_TRUE(ClaimsMuchOfNothing(Shape{int64_t{1} << 32, 0}));
  EXPECT_TRUE(ClaimsMuchOfNothing(Shape{0, 1 << 20, 1 << 20}));
  EXPECT_FALSE(ClaimsMuchOfNothing(Shape{1000, 0, 28}));
  EXPECT_FALSE(ClaimsMuchOfNothing(Shape{0}));
  EXPECT_FALSE(ClaimsMuchOfNothing(Shape{int64_t{1} << 32}));
  EXPECT_FALSE(ClaimsMuchOfNothing(Shape()));
}

}  // namespace
}  // namespace sluice
