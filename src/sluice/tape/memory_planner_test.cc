#include "sluice/tape/memory_planner.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace sluice {
namespace {

TEST(MemoryPlanner, AChainNeedsTwoBuffers) {
  MemoryPlanner planner;
  int64_t previous = planner.Allocate(1 << 20);
  for (int i = 0; i < 1000; ++i) {
    int64_t next = planner.Allocate(1 << 20);
    planner.Release(previous, 1 << 20);
    previous = next;
  }
  EXPECT_EQ(planner.total(), 2 << 20);
}

TEST(MemoryPlanner, NeighbouringHolesBecomeOne) {
  MemoryPlanner planner;
  int64_t a = planner.Allocate(64), b = planner.Allocate(64),
          c = planner.Allocate(64);
  planner.Allocate(64);
  planner.Release(a, 64);
  planner.Release(c, 64);
  planner.Release(b, 64);
  EXPECT_EQ(planner.Allocate(192), a);
}

TEST(MemoryPlanner, LiveValuesNeverOverlap) {
  std::mt19937 random(7);
  struct Live {
    int64_t offset, bytes;
  };
  MemoryPlanner planner;
  std::vector<Live> live;
  for (int step = 0; step < 5000; ++step) {
    if (live.empty() || random() % 2) {
      int64_t bytes = static_cast<int64_t>(random() % 5000);
      int64_t offset = planner.Allocate(bytes);
      EXPECT_EQ(offset % MemoryPlanner::kAlignment, 0);
      for (const Live& l : live) {
        EXPECT_TRUE(offset + bytes <= l.offset || l.offset + l.bytes <= offset);
      }
      EXPECT_LE(offset + bytes, planner.total());
      live.push_back({offset, bytes});
    } else {
      size_t i = random() % live.size();
      planner.Release(live[i].offset, live[i].bytes);
      live[i] = live.back();
      live.pop_back();
    }
  }
}

}  // namespace
}  // namespace sluice
