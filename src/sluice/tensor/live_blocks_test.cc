#include "sluice/tensor/live_blocks.h"

#include <gtest/gtest.h>

#include "sluice/tensor/array.h"

namespace sluice {
namespace {

const std::string kMatMul = "MatMul", kTanh = "Tanh";
const SourceLine kLine12{"model.cc", "f", 12}, kLine14{"model.cc", "f", 14};

TEST(LiveBlocks, TheInnermostSiteIsNoted) {
  LiveBlocks blocks;
  LiveBlocks::Entry *a, *b, *c, *d;
  a = blocks.Add(5);
  {
    AllocatesFor outer(kMatMul, kLine12);
    b = blocks.Add(100);
    {
      AllocatesFor inner(kTanh, kLine14);
      c = blocks.Add(30);
    }
    d = blocks.Add(1);
  }
  std::vector<LiveGroup> groups = Merged(blocks.Groups());
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].site.op, "MatMul");
  EXPECT_EQ(groups[0].bytes, 101);
  EXPECT_EQ(groups[0].blocks, 2);
  EXPECT_EQ(groups[1].site.line.line, 14);
  EXPECT_EQ(groups[1].bytes, 30);
  EXPECT_EQ(groups[2].site.op, "");
  // First, last and middle of the list.
  blocks.Remove(d);
  blocks.Remove(a);
  blocks.Remove(b);
  groups = blocks.Groups();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].bytes, 30);
  blocks.Remove(c);
  EXPECT_TRUE(blocks.Groups().empty());
}

// Host memory: large arrays are reported, whatever else the process holds.
TEST(LiveBlocks, TheHostTellsItsLargeArrays) {
  static const std::string kOp = "LiveBlocksTestOp";
  const auto& host = dynamic_cast<const TellsLive&>(HostAllocator());
  auto live = [&] {
    LiveGroup mine;
    for (const LiveGroup& group : host.TellLive().groups) {
      if (group.site.op == kOp) mine = group;
    }
    return mine;
  };
  EXPECT_EQ(live().blocks, 0);
  {
    AllocatesFor site(kOp, kLine12);
    Array large = *Array::Make(DType::kU8, {3 << 20});
    Array small = *Array::Make(DType::kU8, {8 << 10});
    EXPECT_EQ(live().blocks, 1);
    EXPECT_EQ(live().bytes, 3 << 20);
    Result<Array> none = Array::Make(DType::kU8, {int64_t{1} << 46});
    ASSERT_FALSE(none.ok());
    EXPECT_NE(none.status().message().find(
                  "3.0 MiB in 1 array made by LiveBlocksTestOp at model.cc:12"),
              std::string::npos)
        << none.status().message();
  }
  EXPECT_EQ(live().blocks, 0);
}

}  // namespace
}  // namespace sluice
